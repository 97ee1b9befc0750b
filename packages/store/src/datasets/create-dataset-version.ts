import { createHash } from 'node:crypto';
import { type DataRecord, type IdSource, createIdSource } from '@lachesis/protocol';
import { addBlobReference } from '../blobs/blob-references.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import { insertRow, insertRows } from '../database/write-row.ts';
import { HeldOutError } from '../errors/library-errors.ts';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import { writeArrows } from '../lineage/record-lineage.ts';
import type { DatasetRowsTable } from '../schema/library.ts';
import { createBlob } from '../trajectories/captures/turn-payload.ts';
import { CHUNK_CHARACTERS, CHUNK_ROWS, formatRow, packChunk } from './dataset-chunk.ts';
import type { DatasetVersion } from '@lachesis/protocol';
import { toDatasetVersion } from './dataset-version.ts';
import { digestRecord } from './digest-record.ts';
import { findHeldOut } from './find-held-out.ts';

const MAX_TRIES = 10;
/** A version of a million rows is one commit. */
const COMMIT_DEADLINE_MS = 300_000;
/** Well below what both engines take as parameters of one statement. */
const RATED_TOGETHER = 2_000;

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

interface CollectedRows {
  rows: (Omit<DatasetRowsTable, 'dataset_id' | 'tenant_id'> & { promptDigest: string })[];
  chunks: { digest: string; bytes: number; rowCount: number }[];
  /** `kind id` of what the rows come from. */
  origins: Map<string, { kind: 'feedback' | 'run' | 'trajectory'; id: string }>;
  /** Of every field of every row: another split or weight is another version. */
  contentDigest: string;
}

/**
 * Makes the next version of a data set. The same rows in the same order are the version that is there. Rows that a
 * held-out set has are refused with a HeldOutError, and nothing is made.
 *
 * Die before the commit: blobs without a row, which the collector takes. Die after it: the version is there, and making
 * it again finds it.
 */
export async function createDatasetVersion(options: CreateDatasetVersionOptions): Promise<DatasetVersion> {
  const { store, tenantId, name, isHeldOut, ids = createIdSource() } = options;
  const collected = await collectRows(options);
  if (!isHeldOut) await refuseHeldOut(options, collected);
  const { contentDigest } = collected;
  const raters = await findRaters(options, collected);
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
      dataset_id: ids.next(),
      name,
      version: (versions[0]?.version ?? 0) + 1,
      is_held_out: Number(isHeldOut),
      row_count: collected.rows.length,
      content_digest: contentDigest,
      recipe: JSON.stringify(options.recipe ?? null),
      splits: JSON.stringify(countSplits(collected)),
      created_at: await store.now(),
    };
    try {
      const statements = [
        insertRow({ dialect: store.dialect, table: 'dataset_versions', row, expectRows: 1 }),
        ...writeRows({ ...options, collected, datasetId: row.dataset_id, at: row.created_at }),
        ...writeArrows({
          ...{ store, tenantId, at: row.created_at },
          arrows: raters.map((id) => ({
            from: { kind: 'feedback', id },
            to: { kind: 'dataset', id: row.dataset_id },
            relation: 'rated-row-of',
          })),
        }),
      ];
      await store.commit({ statements }, { deadlineMs: COMMIT_DEADLINE_MS });
      return toDatasetVersion(row);
    } catch (error) {
      if (!StoreConflictError.isInstance(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

async function collectRows({ blobs, rows, run }: CreateDatasetVersionOptions): Promise<CollectedRows> {
  const collected: Omit<CollectedRows, 'contentDigest'> = { rows: [], chunks: [], origins: new Map() };
  if (run !== undefined) collected.origins.set(`run ${run}`, { kind: 'run', id: run });
  const content = createHash('sha256');
  let lines: string[] = [];
  let characters = 0;
  const closeChunk = async (): Promise<void> => {
    if (lines.length === 0) return;
    const { digest, bytes } = createBlob(packChunk(lines));
    await blobs.put(digest, bytes);
    collected.chunks.push({ digest, bytes: bytes.byteLength, rowCount: lines.length });
    lines = [];
    characters = 0;
  };
  for await (const record of rows) {
    const { whole, prompt } = digestRecord(record);
    const line = formatRow(record);
    if (lines.length >= CHUNK_ROWS || characters + line.length > CHUNK_CHARACTERS) await closeChunk();
    collected.rows.push({
      row_index: collected.rows.length,
      chunk_index: collected.chunks.length,
      record_digest: whole,
      promptDigest: prompt,
      trajectory_id: record.trajectory_id,
      split: record.split,
      forgotten_at: null,
    });
    lines.push(line);
    content.update(`${line}\n`);
    characters += line.length;
    const { trajectory_id: id } = record;
    if (id !== null) collected.origins.set(`trajectory ${id}`, { kind: 'trajectory', id });
    for (const feedbackId of record.kind === 'preference' ? record.feedback_ids : []) {
      collected.origins.set(`feedback ${feedbackId}`, { kind: 'feedback', id: feedbackId });
    }
  }
  await closeChunk();
  return { ...collected, contentDigest: content.digest('hex') };
}

async function refuseHeldOut(
  { store, tenantId, name, model }: CreateDatasetVersionOptions,
  { rows }: CollectedRows,
): Promise<void> {
  const digests = [...new Set(rows.flatMap((row) => [row.record_digest, row.promptDigest]))];
  const found = await findHeldOut({ store, tenantId, digests, model });
  const heldOut = new Map(found.map((one) => [one.digest, one.dataset]));
  if (heldOut.size === 0) return;
  throw new HeldOutError({
    dataset: name,
    rows: rows.flatMap((row) => {
      const dataset = heldOut.get(row.record_digest) ?? heldOut.get(row.promptDigest);
      return dataset === undefined ? [] : [{ rowIndex: row.row_index, heldOut: dataset }];
    }),
  });
}

/** The feedback that holds about the trajectories of the rows: it decided which of them are here, and with which rating. */
async function findRaters(
  { store, tenantId }: CreateDatasetVersionOptions,
  { origins }: CollectedRows,
): Promise<string[]> {
  const trajectories = [...origins.values()].filter(({ kind }) => kind === 'trajectory').map(({ id }) => id);
  const found: string[] = [];
  for (let start = 0; start < trajectories.length; start += RATED_TOGETHER) {
    const rows = await store.db
      .selectFrom('feedback as f')
      .select('f.feedback_id')
      .where('f.tenant_id', '=', tenantId)
      .where('f.trajectory_id', 'in', trajectories.slice(start, start + RATED_TOGETHER))
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
    found.push(...rows.map((row) => row.feedback_id));
  }
  return found.filter((id) => !origins.has(`feedback ${id}`));
}

function writeRows(
  options: CreateDatasetVersionOptions & { collected: CollectedRows; datasetId: string; at: number },
): WriteStatement[] {
  const { store, tenantId, isHeldOut, collected, datasetId, at } = options;
  const { dialect } = store;
  const own = { tenant_id: tenantId, dataset_id: datasetId };
  const heldOut = isHeldOut ? new Set(collected.rows.flatMap((row) => [row.record_digest, row.promptDigest])) : [];
  const references = collected.chunks.toSorted((left, right) => (left.digest < right.digest ? -1 : 1));
  return [
    ...collected.chunks.map(({ digest, bytes, rowCount }, index) =>
      insertRow({
        dialect,
        table: 'dataset_chunks',
        row: { ...own, chunk_index: index, row_count: rowCount, payload_digest: digest, payload_bytes: bytes },
      }),
    ),
    ...references.map(({ digest, bytes }) => addBlobReference({ store, tenantId, digest, bytes })),
    ...insertRows({
      dialect,
      table: 'dataset_rows',
      rows: collected.rows.map(({ promptDigest: _prompt, ...row }) => ({ ...own, ...row })),
    }),
    ...insertRows({
      dialect,
      table: 'held_out_digests',
      rows: [...heldOut].map((digest) => ({ ...own, digest })),
    }),
    ...[...collected.origins.values()].map(({ kind, id }) =>
      insertRow({
        dialect,
        table: 'lineage',
        row: {
          tenant_id: tenantId,
          from_kind: kind,
          from_id: id,
          to_kind: 'dataset',
          to_id: datasetId,
          relation: 'row-of',
          at,
        },
      }),
    ),
  ];
}

function countSplits({ rows }: CollectedRows): Record<string, number> {
  const splits: Record<string, number> = {};
  for (const { split } of rows) splits[split] = (splits[split] ?? 0) + 1;
  return splits;
}
