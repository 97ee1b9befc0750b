/** One recorded interaction of an agent, in turns. */
export interface TrajectoriesTable {
  tenant_id: string;
  trajectory_id: string;
  run_id: string | null;
  rollout_id: string | null;
  attempt_id: string | null;
  environment_id: string | null;
  /** Null while it goes on; then `scored`, `failed` or `abstained`. */
  outcome: string | null;
  reason: string | null;
  split: string;
  consent: string;
  turn_count: number;
  started_at: number;
  ended_at: number | null;
}
