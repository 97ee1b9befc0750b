import { expect, test } from 'vitest';
import { createRandom } from '../create-random.ts';
import { failed, scored } from '../outcome.ts';
import { bootstrapInterval } from './bootstrap-interval.ts';
import { measureRates, rateSamples } from './rate-samples.ts';

const sample = (key: string, reward: number | undefined) => ({
  key,
  item: key,
  outcome: reward === undefined ? failed('infrastructure', 'down') : scored(reward),
  result: undefined,
});

test('pass@k is over tasks, avg@n over their mean rewards, and a failure is in neither', () => {
  const rates = rateSamples({
    samplesPerItem: 4,
    seed: 1,
    samples: [
      ...[1, 0, 0, 0.25].map((reward) => sample('a', reward)),
      ...[1, 1, 1, 1].map((reward) => sample('b', reward)),
      ...[0, undefined, undefined, undefined].map((reward) => sample('c', reward)),
    ],
  });
  expect(rates.items).toEqual([
    { key: 'a', samples: 4, correct: 1, passRate: 0.25, meanReward: 0.3125 },
    { key: 'b', samples: 4, correct: 4, passRate: 1, meanReward: 1 },
    { key: 'c', samples: 1, correct: 0, passRate: 0, meanReward: 0 },
  ]);
  expect(rates.pass.get(1)).toMatchObject({ value: 1.25 / 3, items: 3 });
  // The third has one number only: two cannot be drawn from it.
  expect(rates.pass.get(2)).toMatchObject({ value: (0.5 + 1) / 2, items: 2 });
  expect([...rates.pass.keys()]).toEqual([1, 2, 4]);
  const measured = measureRates(rates);
  expect(Object.keys(measured)).toEqual(['eval/avg@4', 'eval/pass@1', 'eval/pass@2', 'eval/pass@4']);
  expect(measured['eval/avg@4']).toBeCloseTo(1.3125 / 3);
});

test('intervals hold the mean, are the same for a seed, and there is none of one task', () => {
  const values = Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? 1 : 0));
  const interval = bootstrapInterval([values], createRandom(3))!;
  expect(interval).toEqual(bootstrapInterval([values], createRandom(3)));
  // The normal interval of a share of 0.25 over 200: ± 0.060.
  expect(interval[0]).toBeCloseTo(0.19, 1);
  expect(interval[1]).toBeCloseTo(0.31, 1);
  expect(interval[0]).toBeLessThan(0.25);
  expect(interval[1]).toBeGreaterThan(0.25);
  expect(bootstrapInterval([[1]], createRandom(3))).toBeUndefined();
});
