/** One optimiser step of the trainer. */
export interface StepsTable {
  tenant_id: string;
  step_id: string;
  run_id: string;
  incarnation_id: string;
  step: number;
  batch_id: string | null;
  policy_version: number | null;
  started_at: number;
  ended_at: number | null;
}
