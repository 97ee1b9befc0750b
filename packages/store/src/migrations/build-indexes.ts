import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { StoreConflictError } from '../errors/store-conflict-error.ts';
import type { Database } from '../schema/database.ts';
import type { MigrationIndex } from './migration.ts';

/** How often a server looks whether another one has made the index. */
const LOOK_MS = 500;
/** What PostgreSQL says to one of several that make it at once: it is there, or they wait for each other. */
const LOOK_AGAIN: readonly (string | undefined)[] = ['42P07', '40P01'];

/**
 * Makes indexes on a PostgreSQL while others read and write the table. If we die in the middle an index is left that is not valid: the
 * next server drops it and begins again. Of two servers one makes it and the other waits.
 *
 * @param db - A query builder without a time limit: hundreds of gigabytes take hours.
 */
export async function buildIndexes(db: Kysely<Database>, indexes: readonly MigrationIndex[]): Promise<void> {
  for (const { name, on } of indexes) {
    for (let state = await readIndex(db, name); state !== 'valid'; state = await readIndex(db, name)) {
      if (state === 'building') await sleep(LOOK_MS);
      else if (state === 'broken') await sql.raw(`drop index concurrently if exists ${name}`).execute(db);
      else await createIndex(db, `create index concurrently if not exists ${name} on ${on}`);
    }
  }
}

async function createIndex(db: Kysely<Database>, text: string): Promise<void> {
  try {
    await sql.raw(text).execute(db);
  } catch (error) {
    const isAtOnce = LOOK_AGAIN.includes((error as { code?: string }).code) || StoreConflictError.isInstance(error);
    if (!isAtOnce) throw error;
    await sleep(LOOK_MS * Math.random());
  }
}

async function readIndex(db: Kysely<Database>, name: string): Promise<'absent' | 'building' | 'broken' | 'valid'> {
  const { rows } = await sql<{ is_valid: boolean; is_building: boolean }>`
    select i.indisvalid as is_valid,
      exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as is_building
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_namespace n on n.oid = c.relnamespace
    where c.relname = ${name} and n.nspname = current_schema()`.execute(db);
  const index = rows[0];
  if (index === undefined) return 'absent';
  if (index.is_valid) return 'valid';
  return index.is_building ? 'building' : 'broken';
}
