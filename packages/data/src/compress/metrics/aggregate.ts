import { z } from 'zod';
import { type RowMetrics, ratioOf } from './row-metrics.ts';

const count = z.int().nonnegative();

/** A row that was left as it was, and why. */
export const rowFailureSchema = z.object({ file: z.string(), line: z.int(), reason: z.string() });
export type RowFailure = z.infer<typeof rowFailureSchema>;

/** Sums over rows. It is kept between two lives of a run, so it is a shape. */
export const aggregateSchema = z.object({
  rows: count,
  compressed: count,
  skipped: count,
  stillOver: count,
  failed: count,
  unreadableLines: count,
  tokensBefore: count,
  tokensAfter: count,
  tokensSavedByCompressed: z.int(),
  turnsBefore: count,
  turnsAfter: count,
  turnsRemoved: count,
  calls: count,
  errors: count,
  reusedSummaries: count,
  cutSummaries: count,
  promptTokens: z.number(),
  completionTokens: z.number(),
  furtherPasses: count,
  ratioSum: z.number(),
  fidelitySum: z.number(),
  lowestFidelity: z.number().nullable(),
  /** The first ones. */
  failures: z.array(rowFailureSchema),
});

export type Aggregate = z.infer<typeof aggregateSchema>;

/** A file of which every row fails must not be held in memory as reasons. */
const KEPT_FAILURES = 1_000;

export const createAggregate = (): Aggregate => ({
  ...{ rows: 0, compressed: 0, skipped: 0, stillOver: 0, failed: 0, unreadableLines: 0 },
  ...{ tokensBefore: 0, tokensAfter: 0, tokensSavedByCompressed: 0, turnsBefore: 0, turnsAfter: 0, turnsRemoved: 0 },
  ...{ calls: 0, errors: 0, reusedSummaries: 0, cutSummaries: 0, promptTokens: 0, completionTokens: 0 },
  ...{ furtherPasses: 0, ratioSum: 0, fidelitySum: 0, lowestFidelity: null, failures: [] },
});

/** What a compressed row adds besides its metrics. */
export interface RowExtras {
  readonly fidelity: number;
  readonly passes: number;
  readonly reusedSummaries: number;
  readonly cutSummaries: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export function addRow(sum: Aggregate, metrics: RowMetrics, extras?: RowExtras): void {
  const { originalTokens, compressedTokens, originalTurns, compressedTurns } = metrics;
  sum.rows += 1;
  sum.tokensBefore += originalTokens;
  sum.tokensAfter += compressedTokens;
  sum.turnsBefore += originalTurns;
  sum.turnsAfter += compressedTurns;
  sum.calls += metrics.calls;
  sum.errors += metrics.errors;
  if (metrics.isSkippedUnderTarget) sum.skipped += 1;
  if (metrics.isStillOverLimit) sum.stillOver += 1;
  if (metrics.region === undefined || extras === undefined) return;
  sum.compressed += 1;
  sum.ratioSum += ratioOf(metrics);
  sum.tokensSavedByCompressed += originalTokens - compressedTokens;
  sum.turnsRemoved += originalTurns - compressedTurns;
  sum.fidelitySum += extras.fidelity;
  sum.lowestFidelity = Math.min(sum.lowestFidelity ?? 1, extras.fidelity);
  sum.furtherPasses += extras.passes - 1;
  sum.reusedSummaries += extras.reusedSummaries;
  sum.cutSummaries += extras.cutSummaries;
  sum.promptTokens += extras.promptTokens;
  sum.completionTokens += extras.completionTokens;
}

/** A row that is kept as it was. What was spent on it counts; the row is none of those that were worked through. */
export function addFailure(sum: Aggregate, failure: RowFailure, spent: { calls: number; errors: number }): void {
  sum.failed += 1;
  sum.calls += spent.calls;
  sum.errors += spent.errors;
  countReason(sum, failure);
}

export function addUnreadable(sum: Aggregate, failure: RowFailure): void {
  sum.unreadableLines += 1;
  countReason(sum, failure);
}

function countReason(sum: Aggregate, failure: RowFailure): void {
  if (sum.failures.length < KEPT_FAILURES) sum.failures.push(failure);
}

/** Adds one file's sums to those of all. */
export function joinAggregates(all: readonly Aggregate[]): Aggregate {
  const sum = createAggregate();
  for (const each of all) {
    for (const key of Object.keys(sum) as (keyof Aggregate)[])
      if (key !== 'failures' && key !== 'lowestFidelity') sum[key] += each[key];
    if (each.lowestFidelity !== null) sum.lowestFidelity = Math.min(sum.lowestFidelity ?? 1, each.lowestFidelity);
    for (const failure of each.failures) countReason(sum, failure);
  }
  return sum;
}
