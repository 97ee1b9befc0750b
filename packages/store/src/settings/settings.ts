import { databaseClock } from '../database/database-clock.ts';
import type { Store, WriteStatement } from '../database/store.ts';
import type { JsonValue } from '../events/canonical-json.ts';

export interface Setting {
  name: string;
  value: JsonValue;
  /** Where the value came from. */
  origin: string;
  updatedAt: number;
}

export interface SettingsScope {
  store: Store;
  tenantId: string;
  scope: string;
}

/** The settings of a scope that were written, with where each came from. */
export async function readSettings({ store, tenantId, scope }: SettingsScope): Promise<Setting[]> {
  const rows = await store.db
    .selectFrom('settings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('scope', '=', scope)
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    name: row.name,
    value: JSON.parse(row.value) as JsonValue,
    origin: row.origin,
    updatedAt: row.updated_at,
  }));
}

/** Writes several settings of a scope, all of them or none. */
export async function writeSettings(
  options: SettingsScope & { settings: readonly Pick<Setting, 'name' | 'value' | 'origin'>[] },
): Promise<void> {
  await options.store.commit({ statements: options.settings.map((setting) => planSetting(options, setting)) });
}

/** Writes one setting; goes into the unit that changes what it is about. */
export function planSetting(
  { store, tenantId, scope }: SettingsScope,
  { name, value, origin }: Pick<Setting, 'name' | 'value' | 'origin'>,
): WriteStatement {
  const query = store.db
    .insertInto('settings')
    .values({
      tenant_id: tenantId,
      scope,
      name,
      value: JSON.stringify(value),
      origin,
      updated_at: databaseClock(store.dialect),
    })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'scope', 'name']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        origin: eb.ref('excluded.origin'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .compile();
  return { query, expectRows: 1 };
}
