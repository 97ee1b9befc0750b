import { addBlobReference } from '../blobs/blob-references.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { insertRow, insertRows } from '../database/write-row.ts';
import type { LineageArrow } from '../lineage/lineage-arrow.ts';
import { writeArrows } from '../lineage/record-lineage.ts';

/** The rows of one chunk, which are written together. */
export interface DatasetPortion {
  readonly chunkIndex: number;
  readonly digest: string;
  readonly bytes: number;
  readonly rows: {
    readonly rowIndex: number;
    readonly record: {
      readonly whole: string;
      readonly prompt: string;
      readonly split: string;
      readonly trajectoryId: string | null;
      readonly feedbackIds: readonly string[];
    };
  }[];
}

/** A chunk with its rows, what it holds out, and what the rows come from. */
export async function writePortion(options: {
  store: Store;
  tenantId: string;
  datasetId: string;
  isHeldOut: boolean;
  at: number;
  portion: DatasetPortion;
}): Promise<WriteStatement[]> {
  const { store, tenantId, datasetId, isHeldOut, at, portion } = options;
  const { chunkIndex, digest, bytes, rows } = portion;
  const { dialect } = store;
  const own = { tenant_id: tenantId, dataset_id: datasetId };
  const heldOut = isHeldOut ? new Set(rows.flatMap(({ record }) => [record.whole, record.prompt])) : [];
  return [
    insertRow({
      dialect,
      table: 'dataset_chunks',
      row: { ...own, chunk_index: chunkIndex, row_count: rows.length, payload_digest: digest, payload_bytes: bytes },
    }),
    addBlobReference({ store, tenantId, digest, bytes }),
    ...insertRows({
      dialect,
      table: 'dataset_rows',
      rows: rows.map(({ rowIndex, record }) => ({
        ...own,
        row_index: rowIndex,
        chunk_index: chunkIndex,
        record_digest: record.whole,
        trajectory_id: record.trajectoryId,
        split: record.split,
        forgotten_at: null,
      })),
    }),
    ...insertRows({
      dialect,
      table: 'held_out_digests',
      rows: [...heldOut].map((held) => ({ ...own, digest: held })),
      suffix: 'on conflict do nothing',
    }),
    ...writeArrows({ store, tenantId, at, arrows: await listArrows(options) }),
  ];
}

async function listArrows(options: Parameters<typeof writePortion>[0]): Promise<LineageArrow[]> {
  const { datasetId, portion } = options;
  const to = { kind: 'dataset', id: datasetId } as const;
  const records = portion.rows.map(({ record }) => record);
  const trajectories = new Set(records.flatMap(({ trajectoryId }) => trajectoryId ?? []));
  const feedback = new Set(records.flatMap(({ feedbackIds }) => feedbackIds));
  const raters = await findRaters(options, [...trajectories]);
  return [
    ...[...trajectories].map((id) => ({ from: { kind: 'trajectory', id } as const, to, relation: 'row-of' as const })),
    ...[...feedback].map((id) => ({ from: { kind: 'feedback', id } as const, to, relation: 'row-of' as const })),
    ...raters
      .filter((id) => !feedback.has(id))
      .map((id) => ({ from: { kind: 'feedback', id } as const, to, relation: 'rated-row-of' as const })),
  ];
}

/** The feedback that holds about the trajectories of the rows: it decided which of them are here, and with which rating. */
async function findRaters(
  { store, tenantId }: { store: Store; tenantId: string },
  trajectories: readonly string[],
): Promise<string[]> {
  if (trajectories.length === 0) return [];
  const rows = await store.db
    .selectFrom('feedback as f')
    .select('f.feedback_id')
    .where('f.tenant_id', '=', tenantId)
    .where('f.trajectory_id', 'in', trajectories)
    .where('f.withdrawn_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('feedback as later')
            .select('later.feedback_id')
            .whereRef('later.tenant_id', '=', 'f.tenant_id')
            .whereRef('later.revises', '=', 'f.feedback_id'),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.feedback_id);
}
