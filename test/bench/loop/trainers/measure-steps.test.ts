import { expect, test } from 'vitest';

import type { EngineJob } from '../engine/engine-options.ts';
import { measureSteps } from './measure-steps.ts';

const job = (operation: string, startedMs: number, endedMs: number): EngineJob => ({
  operation,
  arrivedMs: startedMs,
  startedMs,
  endedMs,
});

test('what the engine did not work is overhead', () => {
  const jobs = [
    job('optim_step', 0, 10),
    job('save_weights_for_sampler', 10, 20),
    job('forward_backward', 50, 90),
    job('optim_step', 90, 100),
  ];
  expect(measureSteps(jobs, 0)).toEqual([{ periodMs: 90, engineMs: 60, overheadMs: 30 }]);
});

test('work done at the same time counts once', () => {
  const jobs = [
    job('optim_step', 0, 10),
    job('asample', 10, 40),
    job('save_weights_for_sampler', 10, 20),
    job('optim_step', 30, 60),
  ];
  expect(measureSteps(jobs, 0)).toEqual([{ periodMs: 50, engineMs: 50, overheadMs: 0 }]);
});

test('the first steps are left out', () => {
  const jobs = [0, 100, 120, 140].map((at) => job('optim_step', at, at + 10));
  expect(measureSteps(jobs, 1).map(({ periodMs }) => periodMs)).toEqual([20, 20]);
});
