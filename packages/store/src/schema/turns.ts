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
}

/** The conversation up to the end of a reply, by its digest: how a later call finds what it continues. */
export interface TurnRepliesTable {
  tenant_id: string;
  digest: string;
  trajectory_id: string;
  turn_index: number;
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
