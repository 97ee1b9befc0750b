import { openStore, recordMetricPoints } from '@lachesis/store';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readLearning } from './read-learning.ts';

test('the first and the last five steps are read, and a step that is half written is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-learning-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  onTestFinished(() => store.close());
  const scope = { store, tenantId: 't', runId: 'r' };
  expect(await readLearning(scope)).toEqual({ first: [], recent: [] });
  const points = Array.from({ length: 140 }, (_, index) => index + 1).flatMap((step) => [
    { series: 'reward/mean', step, at: step, value: step / 1_000 },
    { series: 'train/groups', step, at: step, value: 4 },
    { series: 'train/dead_groups', step, at: step, value: step % 3 },
  ]);
  const half = { series: 'reward/mean', step: 141, at: 141, value: 1 };
  await recordMetricPoints({ ...scope, points: [...points, half] });
  const { first, recent } = await readLearning(scope);
  expect(first.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  expect(recent.map(({ step }) => step)).toEqual([136, 137, 138, 139, 140]);
  expect(recent.at(-1)).toEqual({ step: 140, reward: 0.14, groups: 4, deadGroups: 2 });
});
