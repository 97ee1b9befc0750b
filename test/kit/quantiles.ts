/** What one list of latencies comes to, in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * The smallest value that at least `fraction` of the values do not exceed (nearest rank: always a value that was measured).
 * An empty list has no quantile and gives NaN, so that a comparison with a bar fails instead of passing by accident.
 */
export function findQuantile(values: readonly number[], fraction: number): number {
  return pickQuantile(sortNumbers(values), fraction);
}

/** The middle value; of an even count the mean of the two middle ones. NaN when there is none. */
export function findMedian(values: readonly number[]): number {
  const sorted = sortNumbers(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** What each round came to, to stand beside their median: how many there are is fixed before the first. */
export function describeRounds(values: readonly number[], digits = 1): string {
  return `${values.length === 1 ? 'one round' : 'rounds'} ${values.map((value) => value.toFixed(digits)).join(', ')}`;
}

export function summarizeLatencies(milliseconds: readonly number[]): LatencySummary {
  const sorted = sortNumbers(milliseconds);
  return {
    count: sorted.length,
    p50: pickQuantile(sorted, 0.5),
    p90: pickQuantile(sorted, 0.9),
    p99: pickQuantile(sorted, 0.99),
    max: sorted.at(-1) ?? Number.NaN,
  };
}

function sortNumbers(values: readonly number[]): number[] {
  return [...values].sort((left, right) => left - right);
}

function pickQuantile(sorted: readonly number[], fraction: number): number {
  const rank = Math.max(1, Math.ceil(fraction * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
