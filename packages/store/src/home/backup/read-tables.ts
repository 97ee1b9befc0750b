import { sql, type Transaction } from 'kysely';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../database/open-store.ts';
import type { Database } from '../../schema/database.ts';
import type { BackupRow } from './backup-rows.ts';

/** Where the database is. */
export interface DatabasePlace {
  sqlitePath?: string;
  databaseUrl?: string;
}

type ReadTable = (table: string, rows: AsyncIterable<BackupRow> | Iterable<BackupRow>) => Promise<void>;

/** Rows that are fetched at once. */
const PAGE = 1_000;
/** A large database takes hours; nothing waits for it. */
const DEADLINE_MS = 12 * 60 * 60_000;
const IDLE_MS = 30 * 60_000;

/** Hands over every table, all as of one moment, while servers go on writing. */
export async function readTables(place: DatabasePlace, read: ReadTable): Promise<void> {
  if (place.sqlitePath === undefined) return await readPostgres(place, read);
  await readSqlite(place.sqlitePath, read);
}

/** A read transaction of SQLite sees one moment, and in WAL mode nobody waits for it. */
async function readSqlite(path: string, read: ReadTable): Promise<void> {
  using database = new DatabaseSync(path, { readOnly: true });
  database.exec('begin');
  const tables = database
    // An index of words is a table without rows of its own; they are in further ones behind it.
    .prepare(
      `select name from pragma_table_list
      where schema = 'main' and type in ('table', 'shadow') and name not like 'sqlite_%' order by name`,
    )
    .all() as { name: string }[];
  for (const { name } of tables) {
    await read(name, database.prepare(`select * from "${name}"`).iterate() as Iterable<BackupRow>);
  }
}

async function readPostgres(place: DatabasePlace, read: ReadTable): Promise<void> {
  const { databaseUrl = '' } = place;
  const store = await openStore({ databaseUrl, deadlineMs: DEADLINE_MS, idleInTransactionMs: IDLE_MS, poolSize: 1 });
  try {
    await store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        const { rows } = await sql<{ name: string }>`
          select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`.execute(transaction);
        for (const { name } of rows) await read(name, fetchRows(transaction, name));
      });
  } finally {
    await store.close();
  }
}

async function* fetchRows(transaction: Transaction<Database>, table: string): AsyncIterable<BackupRow> {
  await sql`declare backup_rows no scroll cursor for select * from ${sql.table(table)}`.execute(transaction);
  for (;;) {
    const { rows } = await sql<BackupRow>`fetch ${sql.lit(PAGE)} from backup_rows`.execute(transaction);
    yield* rows;
    if (rows.length < PAGE) break;
  }
  await sql`close backup_rows`.execute(transaction);
}
