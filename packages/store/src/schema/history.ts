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

/** One line of the audit log. Lines of all tenants are one chain: none can be taken out of it unseen. */
export interface AuditLinesTable {
  /** Whose caller it was; empty for one who was refused before that was known. */
  tenant_id: string;
  /** 1, 2, 3, … in the whole log, without gaps. */
  cursor: number;
  /** What was done: a route or a command. */
  action: string;
  at: number;
  /** Canonical JSON text of the rest. */
  data: string;
  previous_hash: string;
  hash: string;
  /** Which key signed it. */
  key_id: string;
  /** Ed25519 over the hash, lower-case hex. */
  signature: string;
}

/** Where the log begins and where it ends, each signed: what is missing at an end shows here. One row. */
export interface AuditHeadsTable {
  /** Empty: the log is of all tenants. */
  tenant_id: string;
  log_id: string;
  start_cursor: number;
  /** Of the last line that was let go of; empty while none was. */
  start_hash: string;
  start_at: number;
  start_key_id: string;
  start_signature: string;
  cursor: number;
  hash: string;
  at: number;
  key_id: string;
  signature: string;
}
