import { expect, test } from 'vitest';
import type { SweepPlan } from './plan-sweep.ts';
import { printSweep, summariseSweep } from './summarise-sweep.ts';
import type { SweepLine } from './sweep-files.ts';

const plan: SweepPlan = {
  ...{ sweep: 's', created_at: 0, folder: '/', arguments: [], metric: 'eval/mean_reward', parallel: 1 },
  ...{ seeds: [1, 2], rungs: [4, 8] },
  points: [{ settings: { lr: '1e-4' } }, { settings: { lr: '3e-4' } }],
};

const end = (point: number, seed: number, steps: number, value?: number): SweepLine => ({
  ...{ point, seed, steps, run: `s-${point}-${seed}`, state: 'ended', value },
});

test('the better half goes on once all runs of a rung have ended, and not before', () => {
  const first = [end(0, 1, 4, 0.2), end(0, 2, 4, 0.4), end(1, 1, 4, 0.5)];
  expect(summariseSweep(plan, first).survivors).toEqual([[0, 1]]);
  const all = [...first, end(1, 2, 4, 0.3)];
  expect(summariseSweep(plan, all).survivors).toEqual([[0, 1], [1]]);
  const { rows, isOver } = summariseSweep(plan, [...all, end(1, 1, 8, 0.6), end(1, 2, 8, 0.8)]);
  expect(isOver).toBe(true);
  expect(rows.map(({ steps, mean, isDropped }) => ({ steps, mean, isDropped }))).toEqual([
    { steps: 4, mean: expect.closeTo(0.3), isDropped: true },
    { steps: 8, mean: expect.closeTo(0.7), isDropped: false },
  ]);
});

test('a run that was interrupted has no value, and the table does not say how often it was begun', () => {
  const before = [end(0, 1, 4, 0.2)];
  const again: SweepLine[] = [{ ...end(0, 1, 4), state: 'started' }, { ...end(0, 1, 4), state: 'started' }, ...before];
  expect(printSweep(plan, again)).toBe(printSweep(plan, before));
  expect(printSweep(plan, [{ ...end(0, 1, 4), state: 'started' }])).toContain('under way');
  expect(printSweep(plan, before)).toContain('not over yet');
});
