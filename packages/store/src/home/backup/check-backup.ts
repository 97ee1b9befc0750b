import { openBlobs } from '../../blobs/open-blobs.ts';
import { BlobCorruptError, BlobMissingError } from '../../errors/blob-errors.ts';
import { BackupDamagedError } from '../../errors/backup-errors.ts';
import { readManifest } from './backup-manifest.ts';
import { readRows } from './backup-rows.ts';
import { backupBlobsPath } from './create-backup.ts';

/** What a backup holds, and everything in it that is not as it was written. */
export interface BackupVerdict {
  tables: number;
  rows: number;
  payloads: number;
  bytes: number;
  faults: string[];
}

/** Reads all of a backup without a database: every file of rows, every payload that they name. Nothing is written. */
export async function checkBackup(folder: string): Promise<BackupVerdict> {
  const manifest = await readManifest(folder);
  const verdict: BackupVerdict = { tables: 0, rows: 0, payloads: 0, bytes: 0, faults: [] };
  const letGo = new Set(manifest.letGo);
  const digests = new Set<string>();
  for (const table of manifest.tables) {
    try {
      for await (const row of readRows(folder, table)) {
        verdict.rows += 1;
        if (table.name === 'blob_references' && Number(row['reference_count']) > 0) digests.add(String(row['digest']));
      }
      verdict.tables += 1;
    } catch (error) {
      if (!BackupDamagedError.isInstance(error)) throw error;
      verdict.faults.push(error.message);
    }
  }
  const blobs = await openBlobs({ place: backupBlobsPath(folder) });
  for (const digest of digests) {
    try {
      verdict.bytes += (await blobs.get(digest)).byteLength;
      verdict.payloads += 1;
    } catch (error) {
      if (BlobMissingError.isInstance(error)) {
        if (!letGo.has(digest)) verdict.faults.push(`payload ${digest} is missing`);
      } else if (BlobCorruptError.isInstance(error)) verdict.faults.push(`payload ${digest} is damaged`);
      else throw error;
    }
  }
  return verdict;
}
