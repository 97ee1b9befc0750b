import type { TrajectoryFilter } from '@lachesis/protocol';
import { sql } from 'kysely';
import type { Store } from '../database/store.ts';
import { listConditions } from './filter-conditions.ts';
import { formatCursor, parseCursor } from './page-cursor.ts';
import type { TrajectoryOrder } from './page-cursor.ts';
import { afterCursor } from './select-postgres-page.ts';

export interface FindPagesOptions {
  store: Store;
  tenantId: string;
  filter: TrajectoryFilter;
  /** Rows of a page. */
  size: number;
  /** Behind this one; from the first row on when left out. */
  cursor?: string | undefined;
  order?: TrajectoryOrder;
}

export interface TrajectoryPages {
  /** Rows behind the cursor. */
  count: number;
  /** Of the second page behind it, the third, and so on: who knows them can go to any row. */
  cursors: string[];
}

/**
 * Where the pages of a list begin, so that a reader need not go through all of them to see the last. Undefined with a text: what
 * is found by words is read from hit to hit.
 */
export async function findPages(options: FindPagesOptions): Promise<TrajectoryPages | undefined> {
  const { store, tenantId, filter, size, order = 'newest' } = options;
  if (filter.text !== undefined) return undefined;
  const cursor = options.cursor === undefined ? undefined : parseCursor(options.cursor);
  const conditions = [
    sql<boolean>`t.tenant_id = ${tenantId}`,
    ...listConditions({ dialect: store.dialect, tenantId, filter }),
    afterCursor({ cursor, order }),
  ];
  const sorted = {
    newest: sql`t.trajectory_id desc`,
    oldest: sql`t.trajectory_id`,
    updated: sql`t.updated_at desc, t.trajectory_id desc`,
  }[order];
  const fitting = sql`from trajectories t where ${sql.join(conditions, sql` and `)}`;
  const counted = await sql<{ count: number | string }>`select count(*) as count ${fitting}`.execute(store.db);
  const count = Number(counted.rows[0]?.count ?? 0);
  if (count <= size) return { count, cursors: [] };
  const { rows } = await sql<{ trajectory_id: string; updated_at: number | string }>`
    select trajectory_id, updated_at from (
      select t.trajectory_id, t.updated_at, row_number() over (order by ${sorted}) as place ${fitting}
    ) placed where place % ${sql.lit(size)} = 0 and place < ${sql.lit(count)} order by place`.execute(store.db);
  const cursors = rows.map((row) =>
    formatCursor({ trajectoryId: row.trajectory_id, updatedAt: Number(row.updated_at), searchId: null }),
  );
  return { count, cursors };
}
