/** One turn of a trajectory; messages, token ids and logprobs are in the payload blob. */
export interface TurnsTable {
  tenant_id: string;
  turn_id: string;
  trajectory_id: string;
  /** Place within the trajectory, from 0. */
  turn_index: number;
  role: string;
  policy_version: number | null;
  token_count: number | null;
  payload_digest: string | null;
  payload_bytes: number | null;
  at: number;
}
