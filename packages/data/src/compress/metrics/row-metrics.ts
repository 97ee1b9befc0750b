import { roundLikePython } from './round-like-python.ts';

/** What happened to one row. Numbers of turns and tokens are before and after. */
export interface RowMetrics {
  readonly originalTokens: number;
  readonly compressedTokens: number;
  readonly originalTurns: number;
  readonly compressedTurns: number;
  /** Turns that the summary stands for, without the last; undefined when nothing was taken out. */
  readonly region: { readonly start: number; readonly end: number } | undefined;
  readonly isStillOverLimit: boolean;
  readonly isSkippedUnderTarget: boolean;
  readonly calls: number;
  readonly errors: number;
}

export const ratioOf = ({ originalTokens, compressedTokens }: RowMetrics): number =>
  compressedTokens / Math.max(originalTokens, 1);

/** `compression_metrics` of a row, in the known order. */
export function formatRowMetrics(metrics: RowMetrics): Record<string, unknown> {
  const { originalTokens, compressedTokens, originalTurns, compressedTurns, region } = metrics;
  return {
    original_tokens: originalTokens,
    compressed_tokens: compressedTokens,
    tokens_saved: originalTokens - compressedTokens,
    compression_ratio: roundLikePython(ratioOf(metrics), 4),
    original_turns: originalTurns,
    compressed_turns: compressedTurns,
    turns_removed: originalTurns - compressedTurns,
    compression_region: {
      start_idx: region?.start ?? -1,
      end_idx: region?.end ?? -1,
      turns_count: region === undefined ? 0 : region.end - region.start,
    },
    was_compressed: region !== undefined,
    still_over_limit: metrics.isStillOverLimit,
    skipped_under_target: metrics.isSkippedUnderTarget,
    summarization_api_calls: metrics.calls,
    summarization_errors: metrics.errors,
  };
}
