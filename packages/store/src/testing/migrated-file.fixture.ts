import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../database/open-store.ts';

let migrated: Promise<Buffer> | undefined;

/** Writes an SQLite file that has every table and no row: what a store makes of a missing file, made once in this thread. */
export async function copyMigratedFile(path: string): Promise<void> {
  await writeFile(path, await (migrated ??= migrateFile()));
}

async function migrateFile(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-migrated-'));
  try {
    const sqlitePath = join(directory, 'store.db');
    const store = await openStore({ sqlitePath });
    // The last one to close moves the log into the file, so the file is all of it.
    await store.close();
    return await readFile(sqlitePath);
  } finally {
    await rm(directory, { recursive: true });
  }
}
