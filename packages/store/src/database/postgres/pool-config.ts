import type { PoolConfig } from 'pg';
import { DatabaseUrlError } from '../../errors/database-url-error.ts';
import { findDatabaseUrlFault } from '../database-url.ts';
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

/** How pg is asked to connect. In the startup packet the settings cost a new connection no extra round trip. */
export function createPoolConfig(options: PostgresOptions, mode: SettingsMode): PoolConfig {
  const fault = findDatabaseUrlFault(options.databaseUrl);
  if (fault !== undefined) throw new DatabaseUrlError({ databaseUrl: options.databaseUrl, fault });
  const url = new URL(options.databaseUrl);
  // pg lets the address win over everything else, so its own `options` are taken out and put before ours.
  const urlOptions = url.searchParams.get('options') ?? '';
  url.searchParams.delete('options');
  const settings = mode === 'startup' ? listSessionSettings(options) : {};
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${escapeOption(value)}`);
  const startup = [urlOptions, ...flags].filter((part) => part !== '').join(' ');
  return {
    connectionString: url.href,
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
