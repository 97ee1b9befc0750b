/** One try at a rollout by one worker; a retried rollout has several. */
export interface AttemptsTable {
  tenant_id: string;
  attempt_id: string;
  run_id: string;
  rollout_id: string;
  /** 1 for the first try. */
  ordinal: number;
  environment_id: string | null;
  worker: string | null;
  /** Null while it runs; then `scored`, `failed` or `abstained`. */
  outcome: string | null;
  reason: string | null;
  started_at: number;
  ended_at: number | null;
}
