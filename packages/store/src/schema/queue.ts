/** A run by its name; everything else hangs on its id. */
export interface RunsTable {
  tenant_id: string;
  run_id: string;
  /** Unique within the tenant. */
  name: string;
  created_at: number;
}

/** One life of a run: a reset archives the open incarnation and opens the next ordinal. */
export interface RunIncarnationsTable {
  tenant_id: string;
  incarnation_id: string;
  run_id: string;
  ordinal: number;
  /** Grows by one with every commit of the queue: the compare-and-set that keeps two processes from both deciding. */
  version: number;
  /** JSON text. */
  state: string;
  opened_at: number;
  closed_at: number | null;
  close_reason: string | null;
}

/** An environment registered with one incarnation; the ordinal is the small number the Atropos wire calls `env_id`. */
export interface EnvironmentsTable {
  tenant_id: string;
  incarnation_id: string;
  ordinal: number;
  environment_id: string;
  /** The name it asked for. */
  desired_name: string;
  /** The name it got: the desired name made unique. */
  real_name: string;
  weight: number;
  max_context_len: number;
  group_size: number;
  min_batch_allocation: number | null;
  /** 1 while connected, 0 after. */
  connected: number;
  registered_at: number;
  disconnected_at: number | null;
  reason: string | null;
  /** When one of several servers last heard it, to a part of the time after which it counts as silent; null from a server that is alone. */
  heard_at: number | null;
}

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

/** A batch that is still on its way: waiting, held by a native trainer, being written to a plain trainer's socket. */
export const OPEN_BATCH_STATES = Object.freeze(['formed', 'leased', 'sending'] as const);
export type OpenBatchState = (typeof OPEN_BATCH_STATES)[number];

/** How a batch ended; a dissolved batch gave its groups back to the queue. */
export const BATCH_FATES = Object.freeze(['delivered', 'trained', 'dissolved', 'quarantined', 'dropped'] as const);
export type BatchFate = (typeof BATCH_FATES)[number];

/** Hot: batches formed and not yet ended. */
export interface OpenBatchesTable {
  tenant_id: string;
  incarnation_id: string;
  batch_id: string;
  ordinal: number;
  state: OpenBatchState;
  /** Fencing epoch: grows with every lease, and an answer that carries an older one is refused. */
  epoch: number;
  attempts: number;
  /** Who holds the lease; empty when nobody does. */
  owner: string;
  lease_expires_at: number | null;
  /** JSON text: the group ids in batch order. */
  group_ids: string;
  formed_at: number;
}

/** History: one row for each ended batch. */
export interface BatchesTable {
  tenant_id: string;
  batch_id: string;
  incarnation_id: string;
  ordinal: number;
  fate: BatchFate;
  epoch: number;
  attempts: number;
  step: number | null;
  policy_version: number | null;
  /** JSON text: the group ids in batch order. */
  group_ids: string;
  formed_at: number;
  ended_at: number;
}

/** The reply given to a POST, kept so that the same body sent again by the same environment gets the same answer. */
export interface PostReceiptsTable {
  tenant_id: string;
  incarnation_id: string;
  /** Who sent it, as the queue tells environments apart. */
  env_key: string;
  body_digest: string;
  receipt_id: string;
  /** The reply as JSON text. */
  reply: string;
  received_at: number;
  /** Which of several servers is answering it now; null once its socket closed, and from a server that is alone. */
  answered_by: string | null;
}

/** The reply that belongs to a client's idempotency key; the same key with another body digest is a conflict. */
export interface IdempotencyKeysTable {
  tenant_id: string;
  run_id: string;
  key: string;
  body_digest: string;
  /** The reply as JSON text. */
  reply: string;
  created_at: number;
}
