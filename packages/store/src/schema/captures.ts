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
