/** Append-only: each row carries the hash of the one before, so an edit or a gap shows. */
export interface EventsTable {
  tenant_id: string;
  run_id: string;
  /** 1, 2, 3, … within the run, without gaps. */
  cursor: number;
  kind: string;
  at: number;
  /** Canonical JSON text. */
  data: string;
  previous_hash: string;
  hash: string;
}
