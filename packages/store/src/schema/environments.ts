/** An environment registered with one incarnation; the ordinal is the small number the Atropos wire calls `env_id`. */
export interface EnvironmentsTable {
  tenant_id: string;
  incarnation_id: string;
  ordinal: number;
  environment_id: string;
  /** The name it asked for. */
  desired_name: string;
  /** The name it got: the desired name made unique. */
  real_name: string;
  weight: number;
  max_context_len: number;
  group_size: number;
  min_batch_allocation: number | null;
  /** 1 while connected, 0 after. */
  connected: number;
  registered_at: number;
  disconnected_at: number | null;
  reason: string | null;
}
