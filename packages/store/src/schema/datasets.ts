/** One immutable version of a named data set. */
export interface DatasetVersionsTable {
  tenant_id: string;
  dataset_id: string;
  name: string;
  version: number;
  is_held_out: number;
  row_count: number;
  /** sha256 over the digests of its rows, in order. */
  content_digest: string;
  recipe: string;
  /** JSON: how many rows each split has. */
  splits: string;
  created_at: number;
}

/** Rows of a version, some hundred together in one blob. */
export interface DatasetChunksTable {
  tenant_id: string;
  dataset_id: string;
  chunk_index: number;
  row_count: number;
  payload_digest: string;
  payload_bytes: number;
}

/** One row: its text is in the chunk. */
export interface DatasetRowsTable {
  tenant_id: string;
  dataset_id: string;
  row_index: number;
  chunk_index: number;
  record_digest: string;
  trajectory_id: string | null;
  split: string;
  /** When what it was made from was forgotten: its text is gone, its digest stays. */
  forgotten_at: number | null;
}

/** What may not be trained on: the digests of whole rows and of prompts of held-out sets. */
export interface HeldOutDigestsTable {
  tenant_id: string;
  digest: string;
  dataset_id: string;
}
