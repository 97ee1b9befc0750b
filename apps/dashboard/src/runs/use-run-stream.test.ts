import type { RunMetrics } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { addPoints } from './use-run-stream.ts';

const metrics = {
  series: ['reward/mean'],
  final_metrics: { 'reward/mean': 0.2 },
  history: [
    { step: 10, 'reward/mean': 0.1 },
    { step: 20, 'reward/mean': 0.2 },
  ],
} as unknown as RunMetrics;
const point = (series: string, step: number, value: number) => ({ series, step, value, at: step });

test('new points join the history, one row a step', () => {
  const { history, final_metrics, series } = addPoints(metrics, [
    point('reward/mean', 21, 0.3),
    point('train/loss', 21, 1.5),
    point('reward/mean', 22, 0.4),
  ]);
  expect(history.slice(2)).toEqual([
    { step: 21, 'reward/mean': 0.3, 'train/loss': 1.5 },
    { step: 22, 'reward/mean': 0.4 },
  ]);
  expect(final_metrics).toEqual({ 'reward/mean': 0.4, 'train/loss': 1.5 });
  expect(series).toEqual(['reward/mean', 'train/loss']);
});

test('a point that a row of the history stands for already changes no row', () => {
  expect(addPoints(metrics, [point('reward/mean', 12, 0.9)]).history).toEqual(metrics.history);
});
