import type { DatasetVersionsTable } from '../schema/library.ts';

/** One version of a data set. It never changes; forgetting takes the text of single rows out and marks them. */
export interface DatasetVersion {
  dataset_id: string;
  name: string;
  version: number;
  is_held_out: boolean;
  row_count: number;
  content_digest: string;
  /** How it was made, as its maker said it. */
  recipe: unknown;
  created_at: number;
  /** How many rows each split has. */
  splits: Record<string, number>;
}

export function toDatasetVersion(row: DatasetVersionsTable): DatasetVersion {
  return {
    dataset_id: row.dataset_id,
    name: row.name,
    version: row.version,
    is_held_out: row.is_held_out === 1,
    row_count: row.row_count,
    content_digest: row.content_digest,
    recipe: JSON.parse(row.recipe) as unknown,
    created_at: row.created_at,
    splits: JSON.parse(row.splits) as Record<string, number>,
  };
}
