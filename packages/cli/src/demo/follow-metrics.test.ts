import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { followMetrics } from './follow-metrics.ts';

test('tells each step once, waits for a half line, and tells what came last', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-metrics-'));
  const path = join(directory, 'metrics.jsonl');
  const line = (step: number, reward: number): string =>
    `${JSON.stringify({ step, 'reward/mean': reward, 'time/step': 2 })}\n`;
  const reported: [number, number][] = [];
  const abort = new AbortController();
  const onStep = ({ step, reward }: { step: number; reward: number }): void => void reported.push([step, reward]);
  const following = followMetrics({ path, signal: abort.signal, onStep });
  await appendFile(path, line(1, 0.1) + line(2, 0.2).slice(0, 9));
  await expect.poll(() => reported).toEqual([[1, 0.1]]);
  await appendFile(path, line(2, 0.2).slice(9) + line(1, 0.9) + line(3, 0.3));
  abort.abort();
  await following;
  expect(reported).toEqual([
    [1, 0.1],
    [2, 0.2],
    [3, 0.3],
  ]);
  await rm(directory, { recursive: true });
});
