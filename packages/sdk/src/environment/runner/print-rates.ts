import { mean } from '@lachesis/protocol';
import { createRandom } from '../create-random.ts';
import { bootstrapInterval } from './bootstrap-interval.ts';
import { estimatePassAtK } from './estimate-pass-at-k.ts';
import { printTable } from './print-table.ts';
import type { Rate, SampleRates } from './rate-samples.ts';

/** One line of the table: whose rates they are. */
export interface RatesRow {
  readonly label: string;
  readonly rates: SampleRates;
}

/** avg@n and pass@k with their intervals, one line for each. */
export function printRates(heading: string, rows: readonly RatesRow[]): string {
  const ks = [...new Set(rows.flatMap(({ rates }) => [...rates.pass.keys()]))].toSorted((left, right) => left - right);
  const counts = new Set(rows.map(({ rates }) => rates.samples));
  const [only = 1] = counts;
  return printTable([
    [heading, 'items', 'samples', counts.size === 1 ? `avg@${only}` : 'avg@n', ...ks.map((k) => `pass@${k}`)],
    ...rows.map(({ label, rates }) => [
      label,
      String(rates.items.length),
      String(rates.samples),
      formatRate(rates.average),
      ...ks.map((k) => formatRate(rates.pass.get(k))),
    ]),
  ]);
}

/**
 * Several environments as one: each counts the same, whatever it has of tasks, and tasks are drawn anew within each. Only a pass@k
 * that all have.
 */
export function averageRates(all: readonly SampleRates[], seed: number): Omit<SampleRates, 'items'> & { items: [] } {
  const combine = (label: string, lists: readonly (readonly number[])[]): Rate | undefined =>
    lists.some((values) => values.length === 0)
      ? undefined
      : {
          value: mean(lists.map((values) => mean(values))),
          interval: bootstrapInterval(lists, createRandom(seed, 'bootstrap', 'suite', label)) ?? null,
          items: lists.reduce((sum, values) => sum + values.length, 0),
        };
  const [first] = all;
  const pass = new Map<number, Rate>();
  for (const k of first?.pass.keys() ?? []) {
    const rate = combine(
      `pass@${k}`,
      all.map(({ items }) => items.flatMap((item) => estimatePassAtK({ ...item, k }) ?? [])),
    );
    if (rate !== undefined) pass.set(k, rate);
  }
  return {
    samples: first?.samples ?? 1,
    seed,
    items: [],
    average: combine(
      'average',
      all.map(({ items }) => items.flatMap(({ meanReward }) => meanReward ?? [])),
    ),
    pass,
  };
}

function formatRate(rate: Rate | undefined): string {
  if (rate === undefined) return '–';
  const { value, interval } = rate;
  if (interval === null) return value.toFixed(3);
  return `${value.toFixed(3)} (${interval[0].toFixed(3)} to ${interval[1].toFixed(3)})`;
}
