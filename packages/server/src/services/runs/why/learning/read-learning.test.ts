import { openStore, recordMetricPoints } from '@lachesis/store';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readCurves } from './read-learning.ts';

test('the first and the last five points of each judged series are read, however sparse it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-learning-'));
  const store = await openStore({ sqlitePath: join(folder, 'lachesis.db') });
  onTestFinished(() => store.close());
  const scope = { store, tenantId: 't', runId: 'r' };
  expect(await readCurves(scope)).toEqual(new Map());
  const points = Array.from({ length: 140 }, (_, index) => index + 1).flatMap((step) => [
    { series: 'reward/mean', step, at: step, value: step === 120 ? 9 : step / 1_000 },
    { series: 'train/loss', step, at: step, value: 4 },
    ...(step % 60 === 0 ? [{ series: 'digits/eval/mean_reward', step, at: step, value: step }] : []),
  ]);
  const again = { series: 'reward/mean', step: 140, at: 141, value: 0.5 };
  await recordMetricPoints({ ...scope, points: [...points, again] });
  const curves = await readCurves(scope);
  expect([...curves.keys()]).toEqual(['digits/eval/mean_reward', 'reward/mean']);
  const { first, recent, highest } = curves.get('reward/mean') ?? { first: [], recent: [], highest: 0 };
  expect(first.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  expect(recent.map(({ step }) => step)).toEqual([136, 137, 138, 139, 140]);
  expect(recent.at(-1)).toEqual({ step: 140, value: 0.5 });
  expect(highest).toBe(9);
  expect(curves.get('digits/eval/mean_reward')?.recent).toEqual([
    { step: 60, value: 60 },
    { step: 120, value: 120 },
  ]);
});
