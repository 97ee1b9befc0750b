/** Where an item of a job stands. `done` and `discarded` are never left; `failed` is, when somebody allows more attempts. */
export const WORK_STATES = ['ready', 'leased', 'done', 'discarded', 'failed'] as const;
export type WorkState = (typeof WORK_STATES)[number];

/** A named list of items that workers go through. */
export interface WorkJobsTable {
  tenant_id: string;
  name: string;
  /** JSON that workers need; no secret is in it. */
  settings: string;
  /** Of all inputs in order. */
  input_digest: string;
  item_count: number;
  /** No request before it: the shared gate of all workers. */
  next_request_at: number;
  created_at: number;
  changed_at: number;
}

export interface WorkItemsTable {
  tenant_id: string;
  name: string;
  item_index: number;
  state: WorkState;
  /** Counts from 1; goes up when an attempt failed, and not when its worker was lost. */
  attempt: number;
  /** The attempt in which the conversation began; a later one may go on with it. */
  conversation: number;
  /** Goes up with each lease; what carries an older one changes nothing. */
  epoch: number;
  holder: string | null;
  lease_expires_at: number | null;
  /** Not handed out before it. */
  ready_at: number;
  /** What all attempts cost so far; null amounts count as 0. */
  cost: number;
  /** Why the last attempt failed, or why it was discarded. */
  reason: string | null;
  input: Uint8Array | null;
  input_digest: string | null;
  result: Uint8Array | null;
  result_digest: string | null;
  changed_at: number;
}

/** A finished turn of an item that is under way. */
export interface WorkTurnsTable {
  tenant_id: string;
  name: string;
  item_index: number;
  conversation: number;
  turn_index: number;
  payload: Uint8Array | null;
  payload_digest: string | null;
  at: number;
}
