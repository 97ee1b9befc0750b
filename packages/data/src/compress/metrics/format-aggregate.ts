import type { Aggregate } from './aggregate.ts';
import { roundLikePython } from './round-like-python.ts';

export interface AggregateTimes {
  readonly startedAt: Date;
  readonly endedAt: Date;
}

export interface AggregateNames {
  readonly tokenizer: string;
  readonly summarizer: Readonly<Record<string, string | number | null>>;
}

/** The metrics file: the known groups in their order, then ours. */
export function formatAggregate(sum: Aggregate, times: AggregateTimes, names: AggregateNames): Record<string, unknown> {
  const perCompressed = (total: number, digits: number) =>
    sum.compressed === 0 ? 0 : roundLikePython(total / sum.compressed, digits);
  return {
    summary: {
      total_trajectories: sum.rows,
      trajectories_compressed: sum.compressed,
      trajectories_skipped_under_target: sum.skipped,
      trajectories_still_over_limit: sum.stillOver,
      trajectories_failed: sum.failed,
      compression_rate: roundLikePython(sum.compressed / Math.max(sum.rows, 1), 4),
    },
    tokens: {
      total_before: sum.tokensBefore,
      total_after: sum.tokensAfter,
      total_saved: sum.tokensSavedByCompressed,
      overall_compression_ratio: roundLikePython(sum.tokensAfter / Math.max(sum.tokensBefore, 1), 4),
    },
    turns: { total_before: sum.turnsBefore, total_after: sum.turnsAfter, total_removed: sum.turnsRemoved },
    averages: {
      avg_compression_ratio: roundLikePython(sum.compressed === 0 ? 1 : sum.ratioSum / sum.compressed, 4),
      avg_tokens_saved_per_compressed: perCompressed(sum.tokensSavedByCompressed, 1),
      avg_turns_removed_per_compressed: perCompressed(sum.turnsRemoved, 2),
    },
    summarization: {
      total_api_calls: sum.calls,
      total_errors: sum.errors,
      success_rate: roundLikePython(1 - sum.errors / Math.max(sum.calls, 1), 4),
    },
    processing: {
      start_time: times.startedAt.toISOString(),
      end_time: times.endedAt.toISOString(),
      duration_seconds: roundLikePython((times.endedAt.getTime() - times.startedAt.getTime()) / 1000, 2),
    },
    fidelity: {
      mean_score: perCompressed(sum.fidelitySum, 4),
      lowest_score: sum.lowestFidelity,
    },
    lachesis: {
      tokenizer: names.tokenizer,
      summarizer: names.summarizer,
      unreadable_lines: sum.unreadableLines,
      summaries_reused: sum.reusedSummaries,
      summaries_cut_by_their_limit: sum.cutSummaries,
      further_passes: sum.furtherPasses,
      prompt_tokens: sum.promptTokens,
      completion_tokens: sum.completionTokens,
      failures: sum.failures,
    },
  };
}
