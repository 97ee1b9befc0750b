import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';

export interface RowSource {
  readonly home: string;
  /** SQLite in the home without it. */
  readonly databaseUrl?: string;
}

/** How many groups the database has from one API, asked behind the server's back. */
export async function countGroupRows(source: RowSource, api: 'native' | 'atropos'): Promise<number> {
  if (source.databaseUrl === undefined) {
    const database = new DatabaseSync(join(source.home, 'lachesis.db'), { readOnly: true });
    try {
      const row = database.prepare('select count(*) as rows from groups where door = ?').get(api);
      return Number(row?.['rows']);
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: source.databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ rows: string }>('select count(*) as rows from groups where door = $1', [api]);
    return Number(rows[0]?.rows);
  } finally {
    await client.end();
  }
}
