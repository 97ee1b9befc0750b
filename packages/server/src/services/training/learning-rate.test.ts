import { expect, test } from 'vitest';

import { learningRateAt } from './learning-rate.ts';

const section = {
  learning_rate: 1,
  lr_schedule: 'constant',
  warmup_steps: 0,
  final_learning_rate_fraction: 0,
} as const;
const rates = (change: object, totalSteps: number): number[] =>
  Array.from({ length: totalSteps }, (_, index) =>
    learningRateAt({ section: { ...section, ...change }, step: index + 1, totalSteps }),
  );

test('is constant unless told otherwise', () => {
  expect(rates({}, 4)).toEqual([1, 1, 1, 1]);
});

test('rises through the warm-up to its top', () => {
  expect(rates({ warmup_steps: 4 }, 6)).toEqual([0.25, 0.5, 0.75, 1, 1, 1]);
  expect(rates({ warmup_steps: 2, lr_schedule: 'linear' }, 4)).toEqual([0.5, 1, 1, 0.5]);
});

test('falls linearly to its final fraction at the last step', () => {
  expect(rates({ lr_schedule: 'linear', final_learning_rate_fraction: 0.5 }, 3)).toEqual([1, 0.75, 0.5]);
});

test('that ends at nothing gets there behind the last step, which still learns', () => {
  expect(rates({ lr_schedule: 'linear' }, 4)).toEqual([1, 0.75, 0.5, 0.25]);
  for (const schedule of ['linear', 'cosine']) expect(rates({ lr_schedule: schedule }, 1)).toEqual([1]);
});

test('falls along a cosine', () => {
  const [first, , middle, last] = rates({ lr_schedule: 'cosine' }, 4);
  expect([first, middle, last].map((rate) => Math.round(rate! * 1e6) / 1e6)).toEqual([1, 0.5, 0.146447]);
});

test('stays at the end when a run goes on longer than planned', () => {
  const change = { ...section, lr_schedule: 'linear', final_learning_rate_fraction: 0.1 } as const;
  expect(learningRateAt({ section: change, step: 99, totalSteps: 5 })).toBeCloseTo(0.1);
});

test('no step learns at a rate of 0, and every warm-up reaches its top', () => {
  for (const schedule of ['constant', 'linear', 'cosine']) {
    for (const totalSteps of [1, 2, 7]) {
      for (const warmup of [0, 1, 3, 7, 50]) {
        const change = { lr_schedule: schedule, warmup_steps: warmup };
        const made = rates(change, totalSteps);
        expect(Math.min(...made), `${schedule}, ${totalSteps} steps, warm-up ${warmup}`).toBeGreaterThan(0);
        expect(Math.max(...made)).toBe(1);
        const late = { ...section, lr_schedule: schedule, warmup_steps: warmup } as Parameters<
          typeof learningRateAt
        >[0]['section'];
        expect(learningRateAt({ section: late, step: totalSteps + 9, totalSteps })).toBe(made.at(-1));
      }
    }
  }
});
