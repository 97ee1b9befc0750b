/** What somebody thinks of a trajectory or a turn. A revision is a row of its own. */
export interface FeedbackTable {
  tenant_id: string;
  feedback_id: string;
  trajectory_id: string;
  turn_index: number | null;
  author: string;
  author_kind: string;
  key: string;
  /** 0 for the first of this author and key, then one more for each revision. */
  revision: number;
  kind: string;
  value: number | null;
  /** The feedback as it was sent, JSON. */
  content: string;
  revises: string | null;
  created_at: number;
  withdrawn_at: number | null;
}
