import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';

import type { KeptReplies } from './witness.ts';

export interface KeptPlace {
  /** Where the SQLite file of a run is. */
  readonly home: string;
  readonly databaseUrl: string | undefined;
}

/** PostgreSQL's client gives wide numbers as text. */
interface KeptRow {
  place: number | string;
  state: string;
  turns: number | string;
}

/** Which replies of these prompts are on disk, asked of the database itself and not of the runner's own reader. */
export async function readKept(place: KeptPlace, indexes: readonly number[]): Promise<KeptReplies> {
  if (indexes.length === 0) return new Map();
  const text = `select item_index as place, state, (select count(*) from work_turns t where t.tenant_id = i.tenant_id
    and t.name = i.name and t.item_index = i.item_index and t.conversation = i.conversation) as turns
    from work_items i where item_index in (${indexes.map(Number).join(', ')})`;
  const rows = place.databaseUrl === undefined ? await readCopy(place.home, text) : await ask(place.databaseUrl, text);
  return new Map(
    rows.map((row) => [Number(row.place), row.state === 'done' ? Number.POSITIVE_INFINITY : Number(row.turns)]),
  );
}

/** The file stays as the dead process left it: it is the next life that has to bring it in order. */
async function readCopy(home: string, text: string): Promise<KeptRow[]> {
  const folder = await mkdtemp(join(home, 'seen-'));
  const file = join(folder, 'lachesis.db');
  for (const end of ['', '-wal']) await copyFile(join(home, `lachesis.db${end}`), `${file}${end}`);
  const database = new DatabaseSync(file);
  try {
    return database.prepare(text).all() as unknown as KeptRow[];
  } finally {
    database.close();
    await rm(folder, { recursive: true });
  }
}

async function ask(databaseUrl: string, text: string): Promise<KeptRow[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<KeptRow>(text)).rows;
  } finally {
    await client.end();
  }
}
