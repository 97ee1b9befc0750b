import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The rows of one tenant by table, as text. */
export type Rows = ReadonlyMap<string, readonly string[]>;

/** Rows that change when somebody looks: when a token was used, and the log of who did what. */
const OF_LOOKING = /^(tokens|audit)/;

/** Every row of every table that has a tenant, by tenant. */
export function readRows(home: string): ReadonlyMap<string, Rows> {
  using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  const found = new Map<string, Map<string, string[]>>();
  for (const { name } of tables) {
    const columns = database.prepare(`PRAGMA table_info("${name}")`).all() as { name: string }[];
    if (OF_LOOKING.test(name) || !columns.some((column) => column.name === 'tenant_id')) continue;
    for (const row of database.prepare(`SELECT * FROM "${name}"`).all() as Record<string, unknown>[]) {
      const rows = found.get(String(row['tenant_id'])) ?? new Map<string, string[]>();
      found.set(String(row['tenant_id']), rows);
      const text = JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      rows.set(name, [...(rows.get(name) ?? []), text]);
    }
  }
  return found;
}

/** The files of a home, besides the database, that hold a text. */
export async function findFilesWith(home: string, text: string): Promise<string[]> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lachesis.db'))
    .map((entry) => join(entry.parentPath, entry.name));
  const holding = await Promise.all(
    files.map(async (file) => ({
      file,
      // One that was drained meanwhile holds nothing any more.
      hasIt: (await readFile(file, 'latin1').catch(() => '')).includes(text),
    })),
  );
  return holding.filter(({ hasIt }) => hasIt).map(({ file }) => relative(home, file));
}
