import { sql } from 'kysely';
import { listConditions } from './filter-conditions.ts';
import type { PageRequest, PageRow } from './page-cursor.ts';
import { toTsQuery } from './search-words.ts';
import { SUMMARY_COLUMNS } from './summary.ts';

const COLUMNS = sql.raw(SUMMARY_COLUMNS.map((name) => `t.${name}`).join(', '));

/** PostgreSQL knows how many rows fit each condition and chooses the index by itself. */
export async function selectPostgresPage(request: PageRequest): Promise<PageRow[]> {
  const { store, tenantId, filter, terms, limit, cursor, order } = request;
  const conditions = [
    sql<boolean>`t.tenant_id = ${tenantId}`,
    ...listConditions({ dialect: 'postgres', tenantId, filter }),
    ...terms.map(
      (term) => sql<boolean>`exists (select 1 from turn_search s
        where s.tenant_id = ${tenantId} and s.trajectory_id = t.trajectory_id
        and s.body @@ to_tsquery('simple', ${toTsQuery(term)}))`,
    ),
  ];
  if (cursor !== undefined) conditions.push(afterCursor(request));
  const sorted = {
    newest: sql`t.trajectory_id desc`,
    oldest: sql`t.trajectory_id`,
    updated: sql`t.updated_at desc, t.trajectory_id desc`,
  }[order];
  const { rows } = await sql<PageRow>`
    select ${COLUMNS}, t.search_id from trajectories t
    where ${sql.join(conditions, sql` and `)} order by ${sorted} limit ${limit}`.execute(store.db);
  return rows;
}

/** Rows after the cursor in the order of the page. */
export function afterCursor({ cursor, order }: Pick<PageRequest, 'cursor' | 'order'>) {
  if (cursor === undefined) return sql<boolean>`1 = 1`;
  switch (order) {
    case 'newest':
      return sql<boolean>`t.trajectory_id < ${cursor.trajectoryId}`;
    case 'oldest':
      return sql<boolean>`t.trajectory_id > ${cursor.trajectoryId}`;
    case 'updated':
      return sql<boolean>`(t.updated_at, t.trajectory_id) < (${cursor.updatedAt}, ${cursor.trajectoryId})`;
  }
}
