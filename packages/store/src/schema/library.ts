/** One recorded interaction of an agent, in turns. The counts are kept with every turn that arrives. */
export interface TrajectoriesTable {
  tenant_id: string;
  trajectory_id: string;
  run_id: string | null;
  rollout_id: string | null;
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
  /** The version of which the contents of all turns were moved to a file; null before. */
  cold_version: number | null;
}

/** One turn of a trajectory; messages, token ids and logprobs are in the payload. */
export interface TurnsTable {
  tenant_id: string;
  turn_id: string;
  trajectory_id: string;
  /** Place within the trajectory, from 0. */
  turn_index: number;
  role: string;
  policy_version: number | null;
  token_count: number | null;
  /** Where the payload is too large for the row: the blob that holds it. */
  payload_digest: string | null;
  payload_bytes: number | null;
  at: number;
  /** `complete`, `interrupted` or `failed`. */
  state: string | null;
  parent_index: number | null;
  kept_messages: number;
  /** Digests of the conversation up to each message that is new in this turn, 16 characters each. */
  prefixes: string;
  /** The same with the ids of calls, which tell two runs of the same words apart; null where no message has one. */
  call_prefixes: string | null;
  payload: Uint8Array | null;
  /** JSON list of the blobs that hold long contents of the payload; null without any. */
  content_digests: string | null;
  /** The row of the payload in the Parquet file that `payload_digest` then names; null while it is in the database or a blob of its own. */
  cold_row: number | null;
}

/** The conversation up to the end of a reply, by its digest: how a later call finds what it continues. */
export interface TurnRepliesTable {
  tenant_id: string;
  digest: string;
  trajectory_id: string;
  turn_index: number;
}

/** Other names of what was recorded: ids of responses, and ids of trajectories that a caller was told too early. */
export interface TurnNamesTable {
  tenant_id: string;
  name: string;
  trajectory_id: string;
  /** -1 for the whole trajectory. */
  turn_index: number;
}

/** Feedback about what is not recorded yet, the last of each author and key. */
export interface WaitingFeedbackTable {
  tenant_id: string;
  author: string;
  key: string;
  feedback_id: string;
  /** What it is about, as it was named. */
  name: string;
  /** The feedback as it was sent, JSON. */
  content: string;
  created_at: number;
}

/** How often a trajectory called a tool. */
export interface ToolCallsTable {
  tenant_id: string;
  tool: string;
  trajectory_id: string;
  call_count: number;
}

export interface TrajectoryTagsTable {
  tenant_id: string;
  tag: string;
  trajectory_id: string;
}

/** Every record that was ever taken in. It outlives what it wrote, so that a record sent again is known. */
export interface CaptureRecordsTable {
  tenant_id: string;
  record_id: string;
  trajectory_id: string;
  turn_index: number | null;
  at: number;
}

/** How far a recorder has come in one stream of sequence numbers, and which numbers are missing. */
export interface CaptureStreamsTable {
  tenant_id: string;
  recorder: string;
  /** The key of the trajectory, or empty for calls without one. */
  stream: string;
  next_sequence: number;
  /** JSON list of [from, to, trajectory_id], in order. */
  gaps: string;
  version: number;
  updated_at: number;
}

/** What was forgotten, without what it said: keys and users are digests. */
export interface ForgottenTable {
  tenant_id: string;
  /** `trajectory`, `key` or `user`. */
  kind: string;
  name: string;
  trajectory_id: string;
  forgotten_at: number;
}

/** What somebody thinks of a trajectory or a turn. A revision is a row of its own. */
export interface FeedbackTable {
  tenant_id: string;
  feedback_id: string;
  trajectory_id: string;
  turn_index: number | null;
  author: string;
  author_kind: string;
  key: string;
  /** 0 for the first of this author and key, then one more for each revision. */
  revision: number;
  kind: string;
  value: number | null;
  /** The feedback as it was sent, JSON. */
  content: string;
  revises: string | null;
  created_at: number;
  withdrawn_at: number | null;
}

/** One immutable version of a named data set. */
export interface DatasetVersionsTable {
  tenant_id: string;
  dataset_id: string;
  name: string;
  version: number;
  is_held_out: number;
  row_count: number;
  /** sha256 over the digests of its rows, in order. */
  content_digest: string;
  recipe: string;
  /** JSON: how many rows each split has. */
  splits: string;
  created_at: number;
}

/** Rows of a version, some hundred together in one blob. */
export interface DatasetChunksTable {
  tenant_id: string;
  dataset_id: string;
  chunk_index: number;
  row_count: number;
  payload_digest: string;
  payload_bytes: number;
}

/** One row: its text is in the chunk. */
export interface DatasetRowsTable {
  tenant_id: string;
  dataset_id: string;
  row_index: number;
  chunk_index: number;
  record_digest: string;
  trajectory_id: string | null;
  split: string;
  /** When what it was made from was forgotten: its text is gone, its digest stays. */
  forgotten_at: number | null;
}

/** What may not be trained on: the digests of whole rows and of prompts of held-out sets. */
export interface HeldOutDigestsTable {
  tenant_id: string;
  digest: string;
  dataset_id: string;
}
