/** Where values lie: five quantiles, and how many are in each of some parts of their range. */
export interface Distribution {
  readonly quantiles: Readonly<Record<QuantileName, number>>;
  readonly histogram: Histogram;
}

/** As TensorBoard and W&B draw it. `edges` has one more than `counts`. */
export interface Histogram {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly squares: number;
}

const QUANTILES = Object.freeze({ p05: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 });
type QuantileName = keyof typeof QUANTILES;

const PARTS = 30;

/** Undefined for no values, and where one of them is no finite number. */
export function describeDistribution(values: Float64Array): Distribution | undefined {
  const sorted = values.toSorted();
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || !Number.isFinite(low) || !Number.isFinite(high)) return undefined;
  const quantiles = Object.fromEntries(
    Object.entries(QUANTILES).map(([name, share]) => [name, quantileOf(sorted, share)]),
  ) as Record<QuantileName, number>;
  const counts = Array.from({ length: PARTS }, () => 0);
  // Values that are all equal stand in the middle of a range that has a width.
  const [from, to] = low === high ? [low - 0.5, high + 0.5] : [low, high];
  const width = (to - from) / PARTS;
  let [sum, squares] = [0, 0];
  for (const value of sorted) {
    counts[Math.min(PARTS - 1, Math.floor((value - from) / width))]! += 1;
    sum += value;
    squares += value * value;
  }
  const edges = Array.from({ length: PARTS + 1 }, (_, index) => (index === PARTS ? to : from + index * width));
  return { quantiles, histogram: { edges, counts, sum, squares } };
}

/** Between the two nearest values, as numpy and the tools people compare with do. */
function quantileOf(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)]!;
  const above = sorted[Math.ceil(at)]!;
  return below + (above - below) * (at - Math.floor(at));
}
