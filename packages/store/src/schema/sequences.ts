/** One sequence of a group. Only a scored sequence has a score. */
export interface SequencesTable {
  tenant_id: string;
  sequence_id: string;
  group_id: string;
  /** Place within the group, from 0. */
  sequence_index: number;
  score: number | null;
  token_count: number;
  outcome: string;
  reason: string | null;
}
