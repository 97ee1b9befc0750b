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
