import { addBlobReference, dropBlobReference } from '../blobs/blob-references.ts';
import { databaseClock } from '../database/database-clock.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import type { ColdFilesTable, ColdKind } from '../schema/platform.ts';

/** A Parquet file among the payloads. */
export interface ColdFile {
  digest: string;
  kind: ColdKind;
  /** Of groups; contents of turns of many runs share a file. */
  runId: string | null;
  rows: number;
  bytes: number;
  /** When the youngest of its rows was settled or said. */
  lastAt: number;
}

type Whose = { store: Pick<Store, 'db' | 'dialect'>; tenantId: string };

/** Says that a file is there, and refers to it; goes into the unit that lets the rows go. */
export function addColdFile({ store, tenantId }: Whose, file: ColdFile): WriteStatement[] {
  const query = store.db
    .insertInto('cold_files')
    .values({
      tenant_id: tenantId,
      digest: file.digest,
      kind: file.kind,
      run_id: file.runId,
      row_count: file.rows,
      bytes: file.bytes,
      last_at: file.lastAt,
      made_at: databaseClock(store.dialect),
    })
    .compile();
  return [{ query, expectRows: 1 }, addBlobReference({ store, tenantId, digest: file.digest, bytes: file.bytes })];
}

/** Fails the unit where somebody else has replaced the file meanwhile. */
export function dropColdFile({ store, tenantId }: Whose, digest: string): WriteStatement[] {
  const query = store.db
    .deleteFrom('cold_files')
    .where('tenant_id', '=', tenantId)
    .where('digest', '=', digest)
    .compile();
  return [{ query, expectRows: 1 }, dropBlobReference({ store, tenantId, digest })];
}

/** The files of one kind, the oldest first. */
export async function listColdFiles(options: {
  store: Pick<Store, 'db'>;
  tenantId: string;
  kind: ColdKind;
  runId?: string;
}): Promise<ColdFile[]> {
  const { store, tenantId, kind, runId } = options;
  let query = store.db.selectFrom('cold_files').selectAll().where('tenant_id', '=', tenantId).where('kind', '=', kind);
  if (runId !== undefined) query = query.where('run_id', '=', runId);
  return (await query.orderBy('last_at').orderBy('digest').execute()).map(toColdFile);
}

export function toColdFile(row: Omit<ColdFilesTable, 'tenant_id' | 'made_at'>): ColdFile {
  return {
    digest: row.digest,
    kind: row.kind,
    runId: row.run_id,
    rows: row.row_count,
    bytes: row.bytes,
    lastAt: row.last_at,
  };
}
