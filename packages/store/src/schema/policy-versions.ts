/** Weights that were published to inference. */
export interface PolicyVersionsTable {
  tenant_id: string;
  policy_version_id: string;
  run_id: string;
  /** 0 is the base model. */
  version: number;
  step: number | null;
  /** Where the weights are, such as a `tinker://` path. */
  weights_path: string | null;
  weights_digest: string | null;
  published_at: number;
}
