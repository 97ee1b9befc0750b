import type { TrajectoryFilter, TrajectoryPage } from '@lachesis/protocol';
import type { Store } from '../database/store.ts';
import { formatCursor, parseCursor } from './page-cursor.ts';
import type { PageCursor, PageRequest, PageRow, TrajectoryOrder } from './page-cursor.ts';
import { selectPostgresPage } from './select-postgres-page.ts';
import { selectSqlitePage } from './select-sqlite-page.ts';
import { toSummary } from './summary.ts';
import { parseSearch } from './search-words.ts';

export interface ListTrajectoriesOptions {
  store: Store;
  tenantId: string;
  filter: TrajectoryFilter;
  limit: number;
  /** From the page before. */
  cursor?: string | undefined;
  /** Default `newest`. With a text it is by arrival. */
  order?: TrajectoryOrder;
}

/** Trajectories that fit, a page at a time. */
export async function listTrajectories(options: ListTrajectoriesOptions): Promise<TrajectoryPage> {
  const { store, tenantId, filter, limit, cursor, order } = options;
  const rows = await readPage({
    store,
    tenantId,
    filter,
    limit: limit + 1,
    cursor: cursor === undefined ? undefined : parseCursor(cursor),
    order: order ?? 'newest',
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    trajectories: shown.map((row) => toSummary(row)),
    next_cursor: rows.length <= limit || last === undefined ? null : formatCursor(toCursor(last)),
  };
}

export async function readPage(request: Omit<PageRequest, 'terms'>): Promise<PageRow[]> {
  const terms = request.filter.text === undefined ? [] : parseSearch(request.filter.text);
  const isSearch = terms.length > 0;
  // A text without a word, such as "?!", is in no trajectory.
  if (!isSearch && request.filter.text !== undefined && request.filter.text.trim() !== '') return [];
  const order = isSearch && request.order === 'updated' ? 'newest' : request.order;
  const page = { ...request, order, terms };
  return request.store.dialect === 'sqlite' ? await selectSqlitePage(page) : await selectPostgresPage(page);
}

export function toCursor(row: PageRow): PageCursor {
  return { trajectoryId: row.trajectory_id, updatedAt: row.updated_at, searchId: row.search_id };
}
