import type { DatasetVersion } from '@lachesis/protocol';
import type { DatasetVersionsTable } from '../schema/library.ts';

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
