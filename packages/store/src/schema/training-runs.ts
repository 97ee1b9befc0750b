/** A run as people start, watch and stop it. Its name in the loop is its short id. */
export interface TrainingRunsTable {
  tenant_id: string;
  run_id: string;
  /** What people type: eight characters, unique within the tenant. */
  short_id: string;
  environment: string;
  state: string;
  /** Why it stands there, as a sentence. */
  reason: string | null;
  /** The final state that `stopping` leads to. */
  outcome: string | null;
  /** JSON text: the resolved configuration. */
  config: string;
  /** JSON text: what its starter wants to find again, such as paths. */
  details: string;
  /** The same key of a request gives the same run. */
  idempotency_key: string | null;
  stop_requested_at: number | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  /** When the state became what it is. */
  changed_at: number;
  /** The end of the run's chain of events: the next one is linked to it in the same commit. */
  event_cursor: number;
  event_hash: string;
}

/** One process of a run: what must be known to find it again after everybody who knew it is gone. */
export interface RunProcessesTable {
  tenant_id: string;
  run_id: string;
  /** `api`, `trainer` or `env`. */
  role: string;
  state: string;
  /** Written before the process starts, and handed to it: one that carries another is not the one we count on. */
  instance_id: string | null;
  pid: number | null;
  /** When the system says the pid began; a pid that is used again has another. */
  pid_started: string | null;
  port: number | null;
  /** The machine it was started on; rows of servers that did not know of machines have none. */
  host: string | null;
  restarts: number;
  /** JSON text: the times of its deaths that still count. */
  deaths: string;
  /** Not to be started before this moment of the database's clock. */
  start_after: number | null;
  reason: string | null;
  log_path: string;
  updated_at: number;
}
