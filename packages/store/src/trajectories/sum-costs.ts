import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Store } from '../database/store.ts';
import type { StoreDialect } from '../migrations/migration.ts';

/** What some trajectories have cost. */
export interface CostSums {
  trajectories: number;
  turns: number;
  completion_tokens: number;
  /** Of those whose price is known; null where none is. */
  cost: number | null;
  without_cost: number;
}

export interface SumCostsOptions {
  store: Store;
  tenantId: string;
  by: 'run' | 'model' | 'day';
  since?: number | undefined;
  until?: number | undefined;
  limit: number;
}

/** The days of UTC: a server and those who ask it may be anywhere. */
const DAY: Readonly<Record<StoreDialect, string>> = {
  sqlite: "strftime('%Y-%m-%d', started_at / 1000, 'unixepoch')",
  postgres: "to_char(to_timestamp(started_at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD')",
};

/** What was recorded has cost, by run, model or day, and all together. A price that nobody knows is no zero. */
export async function sumCosts(
  options: SumCostsOptions,
): Promise<{ rows: (CostSums & { group: string | null })[]; total: CostSums }> {
  const { store, tenantId, by, since, until, limit } = options;
  const group = sql.raw({ run: 'run_id', model: 'model', day: DAY[store.dialect] }[by]);
  const order = by === 'day' ? sql`1 desc` : sql`sum(cost) desc nulls last, count(*) desc`;
  const where = sql.join(
    [
      sql`tenant_id = ${tenantId}`,
      ...(since === undefined ? [] : [sql`started_at >= ${since}`]),
      ...(until === undefined ? [] : [sql`started_at < ${until}`]),
    ],
    sql` and `,
  );
  const read = async (what: RawBuilder<unknown>, rest: RawBuilder<unknown>) =>
    (
      await sql<Record<keyof CostSums, number | string | null> & { name: string | null }>`
        select ${what} as name, count(*) as trajectories, sum(turn_count) as turns,
          sum(completion_tokens) as completion_tokens, sum(cost) as cost,
          count(*) - count(cost) as without_cost
        from trajectories where ${where} ${rest}`.execute(store.db)
    ).rows.map(({ name, cost, ...counts }) => ({
      group: name,
      trajectories: Number(counts.trajectories),
      turns: Number(counts.turns ?? 0),
      completion_tokens: Number(counts.completion_tokens ?? 0),
      cost: cost === null ? null : Number(cost),
      without_cost: Number(counts.without_cost),
    }));
  const rows = await read(group, sql`group by 1 order by ${order} limit ${limit}`);
  const [all] = await read(sql`cast(null as text)`, sql``);
  const { group: _group, ...total } = all ?? { ...NOTHING, group: null };
  return { rows, total };
}

const NOTHING: CostSums = { trajectories: 0, turns: 0, completion_tokens: 0, cost: null, without_cost: 0 };
