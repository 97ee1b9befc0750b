import type { RunMetrics } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { stretchOf, toChart } from './to-charts.ts';

const metrics = (ranges?: RunMetrics['ranges']): RunMetrics =>
  ({
    history: [10, 20, 30].map((step) => ({ step, 'reward/mean': step / 100 })),
    ...(ranges === undefined ? {} : { ranges }),
  }) as unknown as RunMetrics;

test('a point of a thinned chart stands for the steps behind the point before', () => {
  const chart = toChart(metrics([{ step: 20, 'reward/mean': [0, 0.5] }]), 'reward/mean', []);
  expect([10, 20, 30, 25].map((step) => stretchOf(chart, step))).toEqual([[0, 10], [11, 20], [21, 30], undefined]);
});

test('a point of a whole chart stands for itself', () => {
  const chart = toChart(metrics(), 'reward/mean', []);
  expect(stretchOf(chart, 20)).toBeUndefined();
});
