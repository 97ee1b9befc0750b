import type { RecordGap, TrajectorySummary } from '@lachesis/protocol';
import type { TrajectoriesTable } from '../schema/library.ts';

/** The columns a summary is made from. */
export const SUMMARY_COLUMNS = Object.freeze([
  'trajectory_id',
  'key',
  'run_id',
  'source',
  'model',
  'user_name',
  'title',
  'outcome',
  'reason',
  'reward',
  'rating',
  'split',
  'consent',
  'tags',
  'turn_count',
  'tool_call_count',
  'error_count',
  'token_count',
  'completion_tokens',
  'cost',
  'has_tokens',
  'missing_records',
  'started_at',
  'updated_at',
  'ended_at',
] as const);

export type SummaryRow = Pick<TrajectoriesTable, (typeof SUMMARY_COLUMNS)[number]>;

export function toSummary(row: SummaryRow): TrajectorySummary {
  return {
    trajectory_id: row.trajectory_id,
    key: row.key,
    run_id: row.run_id,
    source: row.source,
    model: row.model,
    user: row.user_name,
    title: row.title,
    outcome: row.outcome,
    reason: row.reason,
    reward: row.reward,
    rating: row.rating,
    split: row.split,
    consent: row.consent as TrajectorySummary['consent'],
    tags: row.tags === '[]' ? [] : (JSON.parse(row.tags) as string[]),
    turn_count: row.turn_count,
    tool_call_count: row.tool_call_count,
    error_count: row.error_count,
    token_count: row.token_count,
    completion_tokens: row.completion_tokens,
    cost: row.cost,
    has_tokens: row.has_tokens === 1,
    missing_records: row.missing_records,
    started_at: row.started_at,
    updated_at: row.updated_at,
    ended_at: row.ended_at,
  };
}

export function readGaps(gaps: string | null): RecordGap[] {
  return gaps === null ? [] : (JSON.parse(gaps) as RecordGap[]);
}
