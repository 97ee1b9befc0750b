import { homePaths } from '@lachesis/protocol/home';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import type { LibraryBlobs } from '../../blobs/blob-store.ts';
import { mapAtOnce } from '../../blobs/s3/map-at-once.ts';
import { openBlobs } from '../../blobs/open-blobs.ts';
import { databaseClock } from '../../database/database-clock.ts';
import { openStore } from '../../database/open-store.ts';
import type { Store } from '../../database/store.ts';
import { BackupDamagedError, BackupPlaceError } from '../../errors/backup-errors.ts';
import { allMigrations } from '../../migrations/all-migrations.ts';
import { findBlobsPlace } from '../find-blobs-place.ts';
import { holdsBlobs, writeMarker } from '../library-marker.ts';
import type { OpenHomeOptions } from '../open-home.ts';
import { readManifest, type BackupManifest, type BackupTable } from './backup-manifest.ts';
import { readRows, type BackupRow } from './backup-rows.ts';
import { orderTables } from './order-tables.ts';
import { restoreSearch } from './restore-search.ts';
import { backupAuditPath, backupBlobsPath } from './create-backup.ts';

export interface RestoreBackupOptions extends Pick<OpenHomeOptions, 'home' | 'databaseUrl' | 'env'> {
  /** What `createBackup` wrote. */
  folder: string;
}

const COPIES_AT_ONCE = 4;
/** Below what either database takes in one statement. */
const PARAMETERS = 16_000;
const DEADLINE_MS = 10 * 60_000;
/** They say which database it is; the new one is another. */
const OWN_TABLES = new Set(['migrations', 'library']);
/** The index of words, which each database has in its own form. */
const SEARCH = /^turn_search/;

/**
 * Makes a home of a backup, on SQLite or PostgreSQL, whichever it was made of. The database must be new and the place of the
 * payloads empty. Payloads come first and the id of the library last: if we die before, neither is taken for a home, and both are
 * begun anew. The new library has an id of its own, so that it is never taken for the old one.
 */
export async function restoreBackup(options: RestoreBackupOptions): Promise<BackupManifest> {
  const { folder, home, databaseUrl, env } = options;
  const manifest = await readManifest(folder);
  const paths = homePaths(home);
  const newest = allMigrations.at(-1)!.number;
  if (manifest.schema > newest) {
    throw new BackupPlaceError({
      place: folder,
      reason: `was made by a newer version (schema ${manifest.schema}, here ${newest})`,
    });
  }
  const blobs = await openBlobs(findBlobsPlace(paths, env));
  if (await holdsBlobs(blobs)) throw new BackupPlaceError({ place: blobs.place, reason: 'holds payloads already' });
  await mkdir(home, { recursive: true, mode: 0o700 });
  const place = databaseUrl === undefined ? { sqlitePath: paths.database } : { databaseUrl };
  // As it was when the backup was made; whoever opens it next brings it up to date.
  const migrations = allMigrations.filter(({ number }) => number <= manifest.schema);
  const store = await openStore({ ...place, migrations, deadlineMs: DEADLINE_MS });
  try {
    await refuseFilled(store, manifest, databaseUrl ?? paths.database);
    await copyBlobs({ folder, blobs, manifest });
    await cp(backupAuditPath(folder), paths.audit, { recursive: true }).catch((error: unknown) => {
      // Nothing was audited.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    for (const table of await orderTables(store, manifest.tables)) {
      const isForeign = SEARCH.test(table.name) && (manifest.dialect !== store.dialect || store.dialect === 'sqlite');
      if (!OWN_TABLES.has(table.name) && !isForeign) await insertRows(store, folder, table);
    }
    if (manifest.dialect === 'sqlite' && databaseUrl === undefined) {
      const tables = manifest.tables.filter(({ name }) => SEARCH.test(name));
      await restoreSearch({ sqlitePath: paths.database, folder, tables });
    }
    await nameLibrary(store, blobs);
  } finally {
    await store.close();
  }
  return manifest;
}

async function refuseFilled(store: Store, { tables }: BackupManifest, place: string): Promise<void> {
  for (const { name } of tables) {
    if (name === 'migrations' || SEARCH.test(name)) continue;
    const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(store.db);
    if (rows.length > 0)
      throw new BackupPlaceError({ place: hidePassword(place), reason: `is not new: ${name} has rows` });
  }
}

const hidePassword = (place: string): string => place.replace(/\/\/[^@/]*@/, '//');

/** Every digest is checked as it is read. */
async function copyBlobs(options: { folder: string; blobs: LibraryBlobs; manifest: BackupManifest }): Promise<void> {
  const { folder, blobs, manifest } = options;
  const copies = await openBlobs({ place: backupBlobsPath(folder) });
  await blobs.prepare();
  const digests: string[] = [];
  for await (const { digest } of copies.list()) digests.push(digest);
  if (digests.length !== manifest.blobs.count) {
    const reason = `it has ${digests.length} payloads and should have ${manifest.blobs.count}`;
    throw new BackupDamagedError({ path: copies.place, reason });
  }
  await mapAtOnce(digests, COPIES_AT_ONCE, async (digest) => blobs.put(digest, await copies.get(digest)));
}

async function insertRows(store: Store, folder: string, table: BackupTable): Promise<void> {
  let rows: BackupRow[] = [];
  const flush = async (): Promise<void> => {
    if (rows.length === 0) return;
    const columns = Object.keys(rows[0]!);
    const values = rows.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`);
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(table.name)} (${names}) values ${sql.join(values)}`.execute(store.db);
    rows = [];
  };
  for await (const row of readRows(folder, table)) {
    rows.push(row);
    if ((rows.length + 1) * Object.keys(row).length > PARAMETERS) await flush();
  }
  await flush();
}

/** The row before the marker, as for every home. */
async function nameLibrary(store: Store, blobs: LibraryBlobs): Promise<void> {
  const libraryId = randomUUID();
  await store.db
    .insertInto('library')
    .values({ slot: 1, library_id: libraryId, opening: null, created_at: databaseClock(store.dialect) })
    .execute();
  await writeMarker(blobs, { libraryId, adoptedAtMs: null });
}
