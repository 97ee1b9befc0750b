/** Where a ready group waits: `buffer` while an environment's share is collected, `batch` once it belongs to an open batch. */
export const GROUP_PLACES = Object.freeze(['queue', 'buffer', 'batch'] as const);
export type GroupPlace = (typeof GROUP_PLACES)[number];

/** How a group left the hot table. */
export const GROUP_FATES = Object.freeze(['delivered', 'trained', 'quarantined', 'dropped'] as const);
export type GroupFate = (typeof GROUP_FATES)[number];

/** Every group ever accepted: appended once, wide, never rewritten. */
export interface GroupsTable {
  tenant_id: string;
  group_id: string;
  run_id: string;
  incarnation_id: string;
  /** Arrival order within the incarnation. */
  position: number;
  /** The wire it came through: `atropos` or `native`. */
  door: string;
  environment_id: string | null;
  env_ordinal: number | null;
  rollout_id: string | null;
  attempt_id: string | null;
  sequence_count: number;
  token_count: number;
  longest_sequence: number;
  /** sha256 of the payload blob, lower-case hex. */
  payload_digest: string;
  payload_bytes: number;
  /** sha256 of the inflated request body. */
  body_digest: string | null;
  idempotency_key: string | null;
  /** `scored`, `failed` or `abstained`. */
  outcome: string;
  reason: string | null;
  environment_digest: string | null;
  verifier_digest: string | null;
  /** `train` or `eval`. */
  split: string;
  consent: string;
  policy_version_min: number | null;
  policy_version_max: number | null;
  step_at_arrival: number;
  received_at: number;
}

/**
 * The small hot table: only groups that still wait or travel. A row is deleted in the commit that writes its fate, so
 * its size follows the queue and never the history.
 */
export interface ReadyGroupsTable {
  tenant_id: string;
  incarnation_id: string;
  position: number;
  group_id: string;
  /** A group in an open batch keeps the place it was taken from; the batch's own row says which groups it holds. */
  place: GroupPlace;
  env_ordinal: number | null;
  sequence_count: number;
  token_count: number;
  payload_digest: string;
  payload_bytes: number;
  /** Deliveries that ended in a nack or an expired lease. */
  failures: number;
  /** Comma-separated words the queue puts there; empty when none. */
  flags: string;
}

/** The end of a group. One row a group: a second fate is a key conflict unless it is written as an update. */
export interface GroupFatesTable {
  tenant_id: string;
  group_id: string;
  incarnation_id: string;
  fate: GroupFate;
  reason: string | null;
  batch_id: string | null;
  at: number;
}
