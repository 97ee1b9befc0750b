import { createHash } from 'node:crypto';
import { type DataRecord, type DatasetVersion, type IdSource, createIdSource } from '@lachesis/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store } from '../database/store.ts';
import { insertRow } from '../database/write-row.ts';
import { HeldOutError } from '../errors/library-errors.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { writeArrows } from '../lineage/record-lineage.ts';
import { createBlob } from '../trajectories/captures/turn-payload.ts';
import { CHUNK_CHARACTERS, CHUNK_ROWS, formatRow, packChunk } from './dataset-chunk.ts';
import { toDatasetVersion } from './dataset-version.ts';
import { type DatasetPortion, writePortion } from './dataset-portion.ts';
import { digestRecord } from './digest-record.ts';
import { findHeldOut } from './find-held-out.ts';
import { removeDatasetRows } from './remove-dataset-rows.ts';

const MAX_TRIES = 10;
const COMMIT_DEADLINE_MS = 60_000;
/** Portions that are held in memory. A set that has no more of them is one commit; of a longer one they are written before its version is. */
const PORTIONS_TOGETHER = 8;

export interface CreateDatasetVersionOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  name: string;
  /** Held-out rows are for evaluation: no data set for training takes them. */
  isHeldOut: boolean;
  /** How it was made; kept as it is. */
  recipe: unknown;
  rows: AsyncIterable<DataRecord> | Iterable<DataRecord>;
  /** The one model that this set is for: sets that measure another one hold nothing out of it. */
  model?: string | undefined;
  /** Name of the run whose rollouts the rows are. */
  run?: string | undefined;
  ids?: IdSource;
}

interface Draft {
  readonly datasetId: string;
  readonly at: number;
  /** What was not written yet. */
  waiting: DatasetPortion[];
  isWritten: boolean;
  rowCount: number;
  splits: Record<string, number>;
  /** Rows that a held-out set has. */
  refused: { rowIndex: number; heldOut: string }[];
}

/**
 * Makes the next version of a data set. The same rows in the same order are the version that is there. Rows that a
 * held-out set has are refused with a HeldOutError, and nothing is made.
 *
 * Rows of a long set are written as they come, and are nobody's until the last commit writes the version. Die before
 * it: rows without a version, which the collector takes. Die after it: the version is there, and making it again finds it.
 */
export async function createDatasetVersion(options: CreateDatasetVersionOptions): Promise<DatasetVersion> {
  const { store, ids = createIdSource() } = options;
  const draft: Draft = {
    ...{ datasetId: ids.next(), at: await store.now(), waiting: [], isWritten: false },
    ...{ rowCount: 0, splits: {}, refused: [] },
  };
  let isNeeded = false;
  try {
    const contentDigest = await writeDraft(options, draft);
    if (draft.refused.length > 0) throw new HeldOutError({ dataset: options.name, rows: draft.refused });
    // A commit whose answer got lost may have made the version: then its rows stay, and the collector knows.
    isNeeded = true;
    const version = await publish(options, draft, contentDigest);
    isNeeded = version.dataset_id === draft.datasetId;
    return version;
  } finally {
    // Where even that fails, the collector has it.
    if (!isNeeded && draft.isWritten)
      await removeDatasetRows({ ...options, ...draft, lineage: 'drop' }).catch(() => undefined);
  }
}

/** Goes through the rows once. Gives the digest of every field of every row: another split or weight is another version. */
async function writeDraft(options: CreateDatasetVersionOptions, draft: Draft): Promise<string> {
  const { blobs, rows, isHeldOut } = options;
  const content = createHash('sha256');
  let chunkIndex = 0;
  let lines: string[] = [];
  let characters = 0;
  let open: DatasetPortion['rows'] = [];
  const closePortion = async (): Promise<void> => {
    if (lines.length === 0) return;
    const { digest, bytes } = createBlob(packChunk(lines));
    await blobs.put(digest, bytes);
    draft.waiting.push({ ...{ chunkIndex, digest }, bytes: bytes.byteLength, rows: open });
    if (!isHeldOut) await findRefused(options, draft, open);
    chunkIndex += 1;
    [lines, characters, open] = [[], 0, []];
    // Of a set that is refused anyway only the rows to name are looked for.
    if (draft.refused.length > 0) draft.waiting = [];
    if (draft.waiting.length >= PORTIONS_TOGETHER) await writeWaiting(options, draft);
  };
  for await (const record of rows) {
    const line = formatRow(record);
    if (lines.length >= CHUNK_ROWS || characters + line.length > CHUNK_CHARACTERS) await closePortion();
    open.push({ rowIndex: draft.rowCount, record: describeRow(record) });
    lines.push(line);
    content.update(`${line}\n`);
    characters += line.length;
    draft.rowCount += 1;
    draft.splits[record.split] = (draft.splits[record.split] ?? 0) + 1;
  }
  await closePortion();
  return content.digest('hex');
}

const describeRow = (record: DataRecord): DatasetPortion['rows'][number]['record'] => ({
  ...digestRecord(record),
  split: record.split,
  trajectoryId: record.trajectory_id,
  feedbackIds: record.kind === 'preference' ? record.feedback_ids : [],
});

async function writeWaiting(options: CreateDatasetVersionOptions, draft: Draft): Promise<void> {
  const statements = [];
  for (const portion of draft.waiting) statements.push(...(await writePortion({ ...options, ...draft, portion })));
  draft.isWritten = true;
  await options.store.commit({ statements }, { deadlineMs: COMMIT_DEADLINE_MS });
  draft.waiting = [];
}

async function findRefused(
  { store, tenantId, model }: CreateDatasetVersionOptions,
  { refused }: Draft,
  rows: DatasetPortion['rows'],
): Promise<void> {
  const digests = [...new Set(rows.flatMap(({ record }) => [record.whole, record.prompt]))];
  const found = await findHeldOut({ store, tenantId, digests, model });
  const heldOut = new Map(found.map((one) => [one.digest, one.dataset]));
  for (const { rowIndex, record } of rows) {
    const dataset = heldOut.get(record.whole) ?? heldOut.get(record.prompt);
    if (dataset !== undefined) refused.push({ rowIndex, heldOut: dataset });
  }
}

/** The version that has these rows already, or a new one: from this commit on its rows are read. */
async function publish(
  options: CreateDatasetVersionOptions,
  draft: Draft,
  contentDigest: string,
): Promise<DatasetVersion> {
  const { store, tenantId, name, isHeldOut, run } = options;
  const { datasetId, at } = draft;
  const to = { kind: 'dataset', id: datasetId } as const;
  const ofRun = run === undefined ? [] : [{ from: { kind: 'run', id: run } as const, to, relation: 'row-of' } as const];
  for (let tries = 1; ; tries += 1) {
    const versions = await store.db
      .selectFrom('dataset_versions')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('name', '=', name)
      .orderBy('version', 'desc')
      .execute();
    const same = versions.find((row) => row.content_digest === contentDigest && row.is_held_out === Number(isHeldOut));
    if (same !== undefined) return toDatasetVersion(same);
    const row = {
      tenant_id: tenantId,
      dataset_id: datasetId,
      name,
      version: (versions[0]?.version ?? 0) + 1,
      is_held_out: Number(isHeldOut),
      row_count: draft.rowCount,
      content_digest: contentDigest,
      recipe: JSON.stringify(options.recipe ?? null),
      splits: JSON.stringify(draft.splits),
      created_at: at,
    };
    const statements = [
      insertRow({ dialect: store.dialect, table: 'dataset_versions', row, expectRows: 1 }),
      ...writeArrows({ store, tenantId, at, arrows: ofRun }),
    ];
    for (const portion of draft.waiting) statements.push(...(await writePortion({ ...options, ...draft, portion })));
    try {
      await store.commit({ statements }, { deadlineMs: COMMIT_DEADLINE_MS });
      return toDatasetVersion(row);
    } catch (error) {
      if (!StoreConflictError.isInstance(error) || tries >= MAX_TRIES) throw error;
    }
  }
}
