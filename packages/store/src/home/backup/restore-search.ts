import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { BackupTable } from './backup-manifest.ts';
import { readRows } from './backup-rows.ts';

/**
 * The index of words of SQLite is a table without rows of its own; those behind it may be written by nobody but SQLite, unless
 * the connection says that it knows what it does. An empty index has rows too.
 */
export async function restoreSearch(options: {
  sqlitePath: string;
  folder: string;
  tables: readonly BackupTable[];
}): Promise<void> {
  using database = new DatabaseSync(options.sqlitePath, { defensive: false });
  database.exec('begin');
  for (const table of options.tables) {
    database.exec(`delete from "${table.name}"`);
    for await (const row of readRows(options.folder, table)) {
      const names = Object.keys(row).map((name) => `"${name}"`);
      const marks = names.map(() => '?');
      const insert = database.prepare(`insert into "${table.name}" (${names.join()}) values (${marks.join()})`);
      insert.run(...(Object.values(row) as SQLInputValue[]));
    }
  }
  database.exec('commit');
}
