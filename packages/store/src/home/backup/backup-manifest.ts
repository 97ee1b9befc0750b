import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toCanonicalJson, type JsonValue } from '../../events/canonical-json.ts';
import type { StoreDialect } from '../../migrations/migration.ts';
import { BackupDamagedError, BackupPlaceError } from '../../errors/backup-errors.ts';

/** One table of a backup. */
export interface BackupTable {
  name: string;
  rows: number;
  /** sha256 of the file of its rows. */
  sha256: string;
}

/** What a backup holds. Written last: a folder without it is no backup. */
export interface BackupManifest {
  format: 1;
  createdAt: string;
  libraryId: string | null;
  dialect: StoreDialect;
  /** The number of the newest migration of the database. */
  schema: number;
  tables: BackupTable[];
  blobs: { count: number; bytes: number };
  /** Payloads that rows of the backup name and that the database let go of while it was made. */
  letGo: string[];
}

const NAME = 'manifest.json';

export const manifestPath = (folder: string): string => join(folder, NAME);

/** As text, with its own digest, so that a change in it shows as one in the rows does. */
export function writeManifest(manifest: BackupManifest): string {
  const sha256 = digestOf(manifest as unknown as JsonValue);
  return `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`;
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = manifestPath(folder);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new BackupPlaceError({
      place: folder,
      reason: `has no ${NAME}: the backup was not finished, or lies elsewhere`,
      cause: error,
    });
  }
  const { sha256, ...manifest } = parse(path, text);
  if (digestOf(manifest as JsonValue) !== sha256) {
    throw new BackupDamagedError({ path, reason: 'it is not as it was written' });
  }
  if (manifest['format'] !== 1) {
    throw new BackupDamagedError({
      path,
      reason: `format ${String(manifest['format'])} is newer than this version knows`,
    });
  }
  return manifest as unknown as BackupManifest;
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new BackupDamagedError({ path, reason: 'it is not JSON', cause: error });
  }
}

const digestOf = (value: JsonValue): string => hash('sha256', toCanonicalJson(value));
