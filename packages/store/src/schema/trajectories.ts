/** One recorded interaction of an agent, in turns. The counts are kept with every turn that arrives. */
export interface TrajectoriesTable {
  tenant_id: string;
  trajectory_id: string;
  run_id: string | null;
  rollout_id: string | null;
  attempt_id: string | null;
  environment_id: string | null;
  /** Null while it goes on; then `scored`, `failed`, `abstained` or `finished`. */
  outcome: string | null;
  reason: string | null;
  split: string;
  consent: string;
  turn_count: number;
  started_at: number;
  ended_at: number | null;
  /** The recorder's own key; one trajectory a key. */
  key: string | null;
  recorder: string | null;
  /** The token whose recorder began it; null for what a server or a program of this home recorded. */
  owner: string | null;
  source: string;
  model: string | null;
  /** `user` is a word of PostgreSQL's. */
  user_name: string | null;
  title: string;
  reward: number | null;
  /** Mean of what people said, 0 to 1. */
  rating: number | null;
  feedback_count: number;
  /** JSON list; `trajectory_tags` has the same for searching. */
  tags: string;
  tool_call_count: number;
  error_count: number;
  reply_count: number;
  token_count: number | null;
  completion_tokens: number;
  cost: number | null;
  has_tokens: number;
  missing_records: number;
  /** JSON list of record gaps; null when nothing is missing. */
  gaps: string | null;
  updated_at: number;
  /** On SQLite the place in the full-text index, in order of arrival; null on PostgreSQL. */
  search_id: number | null;
  /** Goes up with every write of a recorder: a write decided on an older one is refused. */
  version: number;
}
