import { recipeSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { watchEvaluations } from './watch-evaluations.ts';

const watch = (tinker: Record<string, unknown>) => watchEvaluations(recipeSchema.parse({ tinker }).tinker);

function addAll(values: readonly number[], early: Record<string, unknown>) {
  const watched = watch({ early_stop: early });
  return values.map((value, index) => watched.add({ step: 5 * index, value })?.bestStep);
}

test('a run ends after as many evaluations without a rise as it has patience', () => {
  expect(addAll([0.1, 0.4, 0.4, 0.3], { patience: 2 })).toEqual([undefined, undefined, undefined, 5]);
  // A rise begins the count anew.
  expect(addAll([0.1, 0.4, 0.4, 0.5, 0.5], { patience: 2 })).toEqual(Array.from({ length: 5 }, () => undefined));
  expect(addAll([0.1, 0.11, 0.12], { patience: 2, min_delta: 0.05 })).toEqual([undefined, undefined, 0]);
});

test('a point that comes again counts once, and one that comes late in its place', () => {
  const watched = watch({ early_stop: { patience: 2 } });
  watched.add({ step: 0, value: 0.5 });
  expect(watched.add({ step: 5, value: 0.4 })).toBeUndefined();
  expect(watched.add({ step: 5, value: 0.4 })).toBeUndefined();
  const late = watch({ early_stop: { patience: 2 } });
  late.add({ step: 0, value: 0.1 });
  expect(late.add({ step: 10, value: 0.4 })).toBeUndefined();
  expect(late.add({ step: 5, value: 0.5 })).toBeUndefined();
  expect(late.add({ step: 15, value: 0.45 })?.bestStep).toBe(5);
});

test('without the key nothing ends, and the best checkpoint is by the mean reward that environments report', () => {
  expect(watch({}).endSeries).toBeUndefined();
  expect(watch({}).bestSeries).toBeUndefined();
  expect(watch({ best_checkpoint: 'eval/pass@4' }).bestSeries).toBe('eval/pass@4');
  expect(watch({ early_stop: { patience: 1 } }).endSeries).toBe('eval/mean_reward');
});
