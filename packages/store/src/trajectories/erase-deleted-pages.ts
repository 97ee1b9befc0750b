import { sql } from 'kysely';
import type { Store } from '../database/store.ts';

/** Pages of the index that one step merges; others write between two steps. */
const PAGES_PER_STEP = 500;
/** A step merges some megabytes: no index of a laptop needs more. */
const MAX_STEPS = 10_000;

/** SQLite leaves deleted rows in the file until their page is used again; from here on it writes zeros over them. */
export async function eraseOnDelete({ db, dialect }: Store): Promise<void> {
  if (dialect === 'sqlite') await sql`pragma secure_delete = on`.execute(db);
}

/** Takes the words of deleted turns out of the full-text index, where they are only crossed out, and clears the log. */
export async function eraseDeletedPages({ db }: Store): Promise<void> {
  const merge = (pages: number) =>
    sql`insert into turn_search (turn_search, rank) values ('merge', ${pages})`.execute(db);
  // A negative number begins to merge everything into one segment; positive ones go on with it.
  await merge(-PAGES_PER_STEP);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const before = await countChanges(db);
    await merge(PAGES_PER_STEP);
    // The statement itself counts as one change: less than two is a merge that had nothing to do.
    if ((await countChanges(db)) - before < 2) break;
  }
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

async function countChanges(db: Store['db']): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}
