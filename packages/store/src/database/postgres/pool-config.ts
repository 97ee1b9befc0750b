import type { PoolConfig } from 'pg';
import { DatabaseUrlError } from '../../errors/database-url-error.ts';
import { findDatabaseUrlFault, listDatabaseAddresses } from '../database-url.ts';
import { postgresTypes } from './postgres-values.ts';
import type { SessionSettings, SettingsMode } from './session-settings.ts';

export interface PostgresOptions {
  databaseUrl: string;
  deadlineMs: number;
  /** Connections of this process, at most. */
  poolSize: number;
  connectTimeoutMs: number;
  lockTimeoutMs: number;
  idleInTransactionMs: number;
  /** Server settings asked for on every connection, over the defaults. */
  sessionSettings: Readonly<Record<string, string>>;
}

/** Acknowledged means on disk, whatever the server's own default is. */
const DURABLE_SETTINGS: Readonly<Record<string, string>> = Object.freeze({ synchronous_commit: 'on' });

/** What every statement of ours must run under, however it reaches the server. */
export function listSessionSettings(options: PostgresOptions): SessionSettings {
  return {
    statement_timeout: String(options.deadlineMs),
    lock_timeout: String(options.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(options.idleInTransactionMs),
    ...DURABLE_SETTINGS,
    ...options.sessionSettings,
  };
}

/** The servers that an address names, each as pg is given it: without what is said to it in another way. */
export function listServers(databaseUrl: string): string[] {
  const fault = findDatabaseUrlFault(databaseUrl);
  if (fault !== undefined) throw new DatabaseUrlError({ databaseUrl, fault });
  return listDatabaseAddresses(databaseUrl).map((address) => {
    const url = new URL(address);
    // pg lets the address win over everything else, so its own `options` are taken out and put before ours.
    for (const name of ['options', 'target_session_attrs']) url.searchParams.delete(name);
    return url.href;
  });
}

/** How pg is asked to connect. In the startup packet the settings cost a new connection no extra round trip. */
export function createPoolConfig(options: PostgresOptions, mode: SettingsMode): PoolConfig {
  const [server = ''] = listServers(options.databaseUrl);
  const [address = ''] = listDatabaseAddresses(options.databaseUrl);
  const urlOptions = new URL(address).searchParams.get('options') ?? '';
  const settings = mode === 'startup' ? listSessionSettings(options) : {};
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${escapeOption(value)}`);
  const startup = [urlOptions, ...flags].filter((part) => part !== '').join(' ');
  return {
    connectionString: server,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: options.sessionSettings['application_name'] ?? 'lachesis',
    ...(startup === '' ? {} : { options: startup }),
    types: postgresTypes,
  };
}

/** In the startup packet blanks separate options; a backslash keeps one inside a value. */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\\s]/g, String.raw`\$&`);
}
