import { homePaths } from '@lachesis/protocol/home';
import { cp, mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isBlobReferenced } from '../../blobs/blob-references.ts';
import { openBlobs } from '../../blobs/open-blobs.ts';
import { BlobMissingError } from '../../errors/blob-errors.ts';
import { BackupPlaceError } from '../../errors/backup-errors.ts';
import { mapAtOnce } from '../../blobs/s3/map-at-once.ts';
import { openHome, type Home, type OpenHomeOptions } from '../open-home.ts';
import { manifestPath, writeManifest, type BackupManifest } from './backup-manifest.ts';
import { writeRows, type BackupRow } from './backup-rows.ts';
import { readTables } from './read-tables.ts';

export interface CreateBackupOptions extends Pick<OpenHomeOptions, 'home' | 'databaseUrl' | 'env'> {
  /** A new folder. */
  folder: string;
  now?: () => number;
  /** Called when the moment has been; for tests. */
  onRows?: () => Promise<void>;
}

const COPIES_AT_ONCE = 4;

/** The folder of the payloads in a backup. */
export const backupBlobsPath = (folder: string): string => join(resolve(folder), 'blobs');
/** The folder of the key of the audit log in a backup. */
export const backupAuditPath = (folder: string): string => join(resolve(folder), 'audit');

/**
 * Writes the database and the payloads that it names, as of one moment, while servers go on. Rows come first: what they name is
 * there or was let go of since, which the manifest says. If we die before the manifest, the folder is no backup and is removed by
 * whoever made it.
 */
export async function createBackup(options: CreateBackupOptions): Promise<BackupManifest> {
  const { home, databaseUrl, now = Date.now } = options;
  const folder = await makeFolder(options.folder);
  await using opened = await openHome(options);
  const manifest: BackupManifest = {
    ...{
      format: 1,
      createdAt: new Date(now()).toISOString(),
      libraryId: null,
      schema: 0,
      dialect: opened.store.dialect,
    },
    ...{ tables: [], blobs: { count: 0, bytes: 0 }, letGo: [] },
  };
  const digests = new Set<string>();
  const paths = homePaths(home);
  const place = databaseUrl === undefined ? { sqlitePath: paths.database } : { databaseUrl };
  await readTables(place, async (table, rows) => {
    manifest.tables.push(await writeRows({ folder, table, rows: watchRows(table, rows, { manifest, digests }) }));
  });
  await options.onRows?.();
  await copyBlobs({ opened, folder, digests, manifest });
  await cp(paths.audit, backupAuditPath(folder), { recursive: true, force: false }).catch((error: unknown) => {
    // Nothing was audited yet.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
  const unfinished = `${manifestPath(folder)}.new`;
  await writeFile(unfinished, writeManifest(manifest), { mode: 0o600, flush: true });
  await rename(unfinished, manifestPath(folder));
  await syncFolder(folder);
  return manifest;
}

/** What the manifest and the copying of payloads need to know of the rows on their way. */
async function* watchRows(
  table: string,
  rows: AsyncIterable<BackupRow> | Iterable<BackupRow>,
  { manifest, digests }: { manifest: BackupManifest; digests: Set<string> },
): AsyncIterable<BackupRow> {
  for await (const row of rows) {
    if (table === 'migrations') manifest.schema = Math.max(manifest.schema, Number(row['number']));
    if (table === 'library') manifest.libraryId = String(row['library_id']);
    if (table === 'blob_references' && Number(row['reference_count']) > 0) digests.add(String(row['digest']));
    yield row;
  }
}

async function copyBlobs(options: {
  opened: Home;
  folder: string;
  digests: Set<string>;
  manifest: BackupManifest;
}): Promise<void> {
  const { opened, folder, digests, manifest } = options;
  const { store } = opened;
  const copies = await openBlobs({ place: backupBlobsPath(folder) });
  await copies.notes.writeOnce('.backup', '');
  await copies.prepare();
  await mapAtOnce([...digests], COPIES_AT_ONCE, async (digest) => {
    try {
      const bytes = await opened.blobs.get(digest);
      await copies.put(digest, bytes);
      manifest.blobs.count += 1;
      manifest.blobs.bytes += bytes.byteLength;
    } catch (error) {
      // Somebody forgot it after our moment; what is forgotten must not come back.
      if (!BlobMissingError.isInstance(error) || (await isBlobReferenced({ store, digest }))) throw error;
      manifest.letGo.push(digest);
    }
  });
}

async function makeFolder(path: string): Promise<string> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new BackupPlaceError({ place: folder, reason: 'is not empty' });
  await mkdir(join(folder, 'rows'), { mode: 0o700 });
  return folder;
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
