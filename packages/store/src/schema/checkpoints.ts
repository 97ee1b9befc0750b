/** Weights and optimiser that training can go on from. */
export interface CheckpointsTable {
  tenant_id: string;
  checkpoint_id: string;
  run_id: string;
  incarnation_id: string;
  step: number;
  policy_version: number;
  model_id: string;
  state_path: string;
  /** The same weights for sampling and download. */
  weights_path: string | null;
  /** 0 or 1. */
  is_final: number;
  /** How it did in an evaluation; the highest one is kept. */
  evaluation: number | null;
  created_at: number;
  deleted_at: number | null;
}
