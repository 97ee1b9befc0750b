import type { Client, PoolClient } from 'pg';

/** Settings that a connection must have, by their names in PostgreSQL; times are milliseconds. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * How they reach the server. `startup`: in the first packet, once for the connection. `transaction`: with every transaction, because a
 * pooler between us lends a server for one transaction only, and what was set for the session before is somebody else's.
 */
export type SettingsMode = 'startup' | 'transaction';

/** What PgBouncer answers to a setting in the first packet that it does not know and was not told to ignore. */
const REFUSED_AT_START = /unsupported startup parameter/i;

export function isRefusedAtStart(error: unknown): boolean {
  return error instanceof Error && REFUSED_AT_START.test(error.message);
}

/** Whether the server took what the first packet asked for. A pooler that was told to ignore it says nothing. */
export async function hasSettings(client: Client | PoolClient, settings: SessionSettings): Promise<boolean> {
  const names = Object.keys(settings);
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1)',
    [names],
  );
  const found = new Map(rows.map(({ name, setting }) => [name, setting]));
  return names.every((name) => found.get(name) === settings[name]);
}

/** One statement that holds until the transaction ends, and no longer: the next user of the server finds its own. */
export function createLocalSettings(settings: SessionSettings): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config(${quote(name)}, ${quote(value)}, true)`);
  return `select ${calls.join(', ')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
