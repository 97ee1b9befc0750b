import { sql } from 'kysely';
import type { Store } from '../../database/store.ts';

/** A table whose rows may only be there when those of the other one are. */
interface Arrow {
  child: string;
  parent: string;
}

/** The tables, each behind those that its rows refer to. */
export async function orderTables<T extends { name: string }>(store: Store, tables: readonly T[]): Promise<T[]> {
  const arrows = await readArrows(store);
  const ordered: T[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const isFree = ({ name }: T): boolean =>
      arrows.every(({ child, parent }) => child !== name || parent === name || !names.has(parent));
    const free = waiting.filter((table) => isFree(table));
    if (free.length === 0) throw new Error(`The tables ${[...names].join(', ')} refer to each other in a circle.`);
    ordered.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return ordered;
}

async function readArrows({ db, dialect }: Store): Promise<Arrow[]> {
  const query =
    dialect === 'sqlite'
      ? sql<Arrow>`
          select m.name as child, f."table" as parent
          from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`
      : sql<Arrow>`
          select c.relname as child, p.relname as parent
          from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
          where k.contype = 'f' and k.connamespace = current_schema()::regnamespace`;
  return (await query.execute(db)).rows;
}
