import { mean } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import type { EvaluationSample } from '../definition.ts';
import { bootstrapInterval } from './bootstrap-interval.ts';
import { estimatePassAtK } from './estimate-pass-at-k.ts';
import { isCorrect } from './rollout-metrics.ts';

/** How one task did over its samples. Samples that failed or abstained are in none of the numbers. */
export interface ItemRate {
  readonly key: string;
  /** Samples that have a number. */
  readonly samples: number;
  readonly correct: number;
  /** Null where no sample has a number. */
  readonly passRate: number | null;
  readonly meanReward: number | null;
}

/** A mean over tasks, and the middle 95 % of it when the tasks are drawn anew; null below two tasks. */
export interface Rate {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  /** Tasks it is the mean of. */
  readonly items: number;
}

/** What can be quoted of an evaluation. */
export interface SampleRates {
  /** Asked for of each task. */
  readonly samples: number;
  /** By which tasks are drawn anew. */
  readonly seed: number;
  readonly items: readonly ItemRate[];
  /** Mean reward of all samples of a task, over tasks. */
  readonly average: Rate | undefined;
  /** By k: 1, 2, 4 and so on, and all samples. A task with fewer than k numbers is not in it. */
  readonly pass: ReadonlyMap<number, Rate>;
}

export function rateSamples({
  samples,
  samplesPerItem,
  seed,
}: {
  samples: readonly EvaluationSample[];
  samplesPerItem: number;
  seed: number;
}): SampleRates {
  const items = [...Map.groupBy(samples, ({ key }) => key)].map(([key, of]) => rateItem(key, of));
  const rateOf = (label: string, values: readonly number[]): Rate | undefined =>
    values.length === 0
      ? undefined
      : {
          value: mean(values),
          interval: bootstrapInterval([values], createRandom(seed, 'bootstrap', label)) ?? null,
          items: values.length,
        };
  const pass = new Map<number, Rate>();
  for (const k of listKs(samplesPerItem)) {
    const values = items.flatMap((item) => estimatePassAtK({ ...item, k }) ?? []);
    const rate = rateOf(`pass@${k}`, values);
    if (rate !== undefined) pass.set(k, rate);
  }
  return {
    samples: samplesPerItem,
    seed,
    items,
    average: rateOf(
      'average',
      items.flatMap(({ meanReward }) => meanReward ?? []),
    ),
    pass,
  };
}

function rateItem(key: string, samples: readonly EvaluationSample[]): ItemRate {
  const rewards = samples.flatMap(({ outcome }) => (outcome.kind === 'scored' ? [outcome.reward] : []));
  const correct = samples.filter(({ outcome }) => isCorrect(outcome)).length;
  const isKnown = rewards.length > 0;
  return {
    ...{ key, samples: rewards.length, correct },
    passRate: isKnown ? correct / rewards.length : null,
    meanReward: isKnown ? mean(rewards) : null,
  };
}

function listKs(samples: number): number[] {
  const ks: number[] = [];
  for (let k = 1; k < samples; k *= 2) ks.push(k);
  return [...ks, samples];
}

/** The same numbers by the names of metrics: `eval/pass@4`, `eval/avg@8`. */
export function measureRates({ samples, average, pass }: SampleRates): Record<string, number> {
  if (samples === 1) return {};
  return {
    ...(average === undefined ? {} : { [`eval/avg@${samples}`]: average.value }),
    ...Object.fromEntries([...pass].map(([k, { value }]) => [`eval/pass@${k}`, value])),
  };
}

/** For JSON and the registry: names of the wire. */
export function ratesToJson({ samples, items, average, pass }: SampleRates): {
  samples: number;
  items: number;
  average: object | null;
  pass: Record<string, object>;
} {
  const toJson = ({ value, interval, items: count }: Rate): object => ({ value, interval, items: count });
  return {
    samples,
    items: items.length,
    average: average === undefined ? null : toJson(average),
    pass: Object.fromEntries([...pass].map(([k, rate]) => [`pass@${k}`, toJson(rate)])),
  };
}

export const itemToJson = ({ key, samples, correct, passRate, meanReward }: ItemRate): object => ({
  ...{ key, samples, correct, pass_rate: passRate, mean_reward: meanReward },
});
