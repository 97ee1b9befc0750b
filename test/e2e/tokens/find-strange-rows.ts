import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface TenantRows {
  /** Rows of a run that carry another tenant than the one who started it, as `table: count`. */
  readonly strange: readonly string[];
  /** How many rows of its runs each tenant has, by table. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

interface Named {
  readonly id: string;
  readonly tenant: string;
}

/** Reads every table back that has a tenant and says which run a row belongs to. */
export function findStrangeRows(home: string): TenantRows {
  using database = new DatabaseSync(join(home, 'lachesis.db'), { readOnly: true });
  const all = <T>(query: string, ...values: string[]): T[] => database.prepare(query).all(...values) as unknown as T[];
  // Who started a run is what the control server wrote; its processes know the run by its short id.
  const started = new Map(
    all<Named>('SELECT short_id AS id, tenant_id AS tenant FROM training_runs').map(({ id, tenant }) => [id, tenant]),
  );
  const owners = new Map(
    all<Named>('SELECT run_id AS id, tenant_id AS tenant FROM training_runs').map(({ id, tenant }) => [id, tenant]),
  );
  const named = all<{ id: string; name: string; tenant: string }>(
    'SELECT run_id AS id, name, tenant_id AS tenant FROM runs',
  );
  for (const { id, name, tenant } of named) owners.set(id, started.get(name) ?? tenant);
  const lives = all<{ id: string; run: string }>('SELECT incarnation_id AS id, run_id AS run FROM run_incarnations');
  const ownersOfLives = new Map(lives.map(({ id, run }) => [id, owners.get(run)]));

  const strange: string[] = [];
  const counts = new Map<string, Map<string, number>>();
  for (const { name: table } of all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    const columns = new Set(
      all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name),
    );
    const by = ['run_id', 'incarnation_id'].find((column) => columns.has(column));
    if (by === undefined || !columns.has('tenant_id')) continue;
    const rows = all<Named & { count: number }>(
      `SELECT ${by} AS id, tenant_id AS tenant, count(*) AS count FROM ${table} WHERE ${by} IS NOT NULL GROUP BY 1, 2`,
    );
    for (const { id, tenant, count } of rows) {
      const owner = (by === 'run_id' ? owners : ownersOfLives).get(id);
      if (owner !== undefined && owner !== tenant) strange.push(`${table}: ${count}`);
      const ofTenant = counts.get(tenant) ?? new Map<string, number>();
      counts.set(tenant, ofTenant.set(table, (ofTenant.get(table) ?? 0) + count));
    }
  }
  const settings = all<{ scope: string; tenant: string }>(
    "SELECT scope, tenant_id AS tenant FROM settings WHERE scope LIKE 'inference:%'",
  );
  for (const { scope, tenant } of settings) {
    const owner = started.get(scope.slice('inference:'.length));
    if (owner !== undefined && owner !== tenant) strange.push('settings: 1');
  }
  return { strange, counts };
}
