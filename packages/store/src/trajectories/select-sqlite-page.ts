import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { chooseLead } from './choose-lead.ts';
import type { Lead } from './choose-lead.ts';
import { listConditions } from './filter-conditions.ts';
import type { Condition } from './filter-conditions.ts';
import type { PageRequest, PageRow } from './page-cursor.ts';
import { toFtsQuery } from './search-words.ts';
import type { SearchTerm } from './search-words.ts';
import { afterCursor } from './select-postgres-page.ts';
import { SUMMARY_COLUMNS } from './summary.ts';
import { SEARCHED_TURNS } from './captures/write-captures.ts';

const COLUMNS = sql.raw([...SUMMARY_COLUMNS, 'search_id'].map((name) => `t.${name}`).join(', '));
const TURNS = sql.raw(String(SEARCHED_TURNS));
/** Hits read at a time: many turns of one trajectory may hold the word. */
const MIN_HITS = 256;

/** Goes along the index that has the fewest rows, in the order of the page where it has one. */
export async function selectSqlitePage(request: PageRequest): Promise<PageRow[]> {
  const { store, tenantId, filter, terms, order } = request;
  const lead = await chooseLead({ store, tenantId, filter, terms });
  const conditions = listConditions({ dialect: 'sqlite', tenantId, filter });
  switch (lead.kind) {
    case 'few':
      return await selectFew(request, lead.lead, [...conditions, ...terms.map((term) => hasTerm(term))]);
    case 'words':
      return await selectByWords(request, lead.term, conditions);
    case 'along':
      return order === 'updated'
        ? await selectAlongAll(request, conditions)
        : await selectAlong(request, lead.lead, conditions);
    case 'alone':
      return order === 'updated' ? await selectAlongAll(request, conditions) : await selectAlone(request, lead.lead);
    case 'all':
      return await selectAlongAll(request, conditions);
  }
}

async function selectFew(request: PageRequest, lead: Lead, conditions: readonly Condition[]): Promise<PageRow[]> {
  const { store, tenantId, limit, order } = request;
  const sorted =
    order === 'updated' ? sql`t.updated_at desc, t.trajectory_id desc` : sql`t.trajectory_id ${way(order)}`;
  const { rows } = await sql<PageRow>`
    select ${COLUMNS} from (select trajectory_id from ${lead.source}) d
    cross join trajectories t on t.tenant_id = ${tenantId} and t.trajectory_id = d.trajectory_id
    where ${and([afterCursor(request), ...conditions])} order by ${sorted} limit ${limit}`.execute(store.db);
  return rows;
}

async function selectAlong(request: PageRequest, lead: Lead, conditions: readonly Condition[]): Promise<PageRow[]> {
  const { store, tenantId, limit, order } = request;
  const { rows } = await sql<PageRow>`
    select ${COLUMNS} from (select trajectory_id from ${lead.source} ${andAfter(request)}) d
    cross join trajectories t on t.tenant_id = ${tenantId} and t.trajectory_id = d.trajectory_id
    where ${and(conditions)} order by d.trajectory_id ${way(order)} limit ${limit}`.execute(store.db);
  return rows;
}

/** The index alone has the page; the rows are fetched after it is cut. */
async function selectAlone(request: PageRequest, lead: Lead): Promise<PageRow[]> {
  const { store, tenantId, limit, order } = request;
  const { rows } = await sql<PageRow>`
    select ${COLUMNS} from (
      select trajectory_id from ${lead.source} ${andAfter(request)} order by trajectory_id ${way(order)} limit ${limit}
    ) d
    cross join trajectories t on t.tenant_id = ${tenantId} and t.trajectory_id = d.trajectory_id
    order by t.trajectory_id ${way(order)}`.execute(store.db);
  return rows;
}

async function selectAlongAll(request: PageRequest, conditions: readonly Condition[]): Promise<PageRow[]> {
  const { store, tenantId, limit, order } = request;
  const sorted =
    order === 'updated' ? sql`t.updated_at desc, t.trajectory_id desc` : sql`t.trajectory_id ${way(order)}`;
  const { rows } = await sql<PageRow>`
    select ${COLUMNS} from trajectories t
    where t.tenant_id = ${tenantId} and ${and([afterCursor(request), ...conditions])}
    order by ${sorted} limit ${limit}`.execute(store.db);
  return rows;
}

/** The rarest word leads, newest hits first; the others must be somewhere in the same trajectory. */
async function selectByWords(
  request: PageRequest,
  lead: SearchTerm,
  conditions: readonly Condition[],
): Promise<PageRow[]> {
  const { store, tenantId, terms, limit, order, cursor } = request;
  const others = terms.filter((term) => term !== lead).map((term) => hasTerm(term));
  const isNewest = order !== 'oldest';
  const found: PageRow[] = [];
  let after = cursor?.searchId ?? null;
  for (;;) {
    const hits = Math.max(MIN_HITS, (limit - found.length) * 2);
    const { rows } = await sql<PageRow & { search_id: number }>`
      select ${COLUMNS} from turn_search f
      cross join trajectories t on t.search_id = f.rowid / ${TURNS}
      where turn_search match ${toFtsQuery(lead)} ${afterSearchId(after, isNewest)}
      and t.tenant_id = ${tenantId} and ${and([...conditions, ...others])}
      order by f.rowid ${way(order)} limit ${hits}`.execute(store.db);
    for (const row of rows) {
      if (found.at(-1)?.search_id !== row.search_id) found.push(row);
      if (found.length === limit) return found;
      after = row.search_id;
    }
    if (rows.length < hits) return found;
  }
}

function afterSearchId(searchId: number | null, isNewest: boolean): RawBuilder<unknown> {
  if (searchId === null) return sql``;
  return isNewest
    ? sql`and f.rowid < ${searchId * SEARCHED_TURNS}`
    : sql`and f.rowid >= ${(searchId + 1) * SEARCHED_TURNS}`;
}

function hasTerm(term: SearchTerm): Condition {
  return sql<boolean>`exists (select 1 from turn_search where turn_search match ${toFtsQuery(term)}
    and rowid >= t.search_id * ${TURNS} and rowid < (t.search_id + 1) * ${TURNS})`;
}

function andAfter({ cursor, order }: PageRequest): RawBuilder<unknown> {
  if (cursor === undefined) return sql``;
  return order === 'oldest'
    ? sql`and trajectory_id > ${cursor.trajectoryId}`
    : sql`and trajectory_id < ${cursor.trajectoryId}`;
}

function way(order: PageRequest['order']): RawBuilder<unknown> {
  return sql.raw(order === 'oldest' ? 'asc' : 'desc');
}

function and(conditions: readonly Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}
