import { defaultHome } from '@lachesis/protocol/home';
import { findDatabaseUrlFault, redactDatabaseUrl } from '@lachesis/store/database-url';
import { homedir } from 'node:os';
import { list, oneOf, text, wholeNumber } from './setting-kinds.ts';
import type { SettingKind } from './setting-kinds.ts';
import { setting } from './setting-spec.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

function databaseUrl(): SettingKind<string> {
  return (given) => {
    const read = text()(given);
    const refusal = 'value' in read ? findDatabaseUrlFault(read.value) : read.refusal;
    return refusal === undefined ? read : { refusal };
  };
}

/** Where a server listens when nobody says otherwise. */
export const portSetting = (options: { port: number; environmentVariable: string }) =>
  setting({
    kind: wholeNumber({ min: 0, max: 65_535 }),
    fallback: () => options.port,
    environmentVariable: options.environmentVariable,
    describe: 'port to listen on; 0 takes a free one',
  });

/** The folder of a server; `describe` says what it keeps there. */
export const homeSetting = (describe: string) =>
  setting({
    kind: text(),
    fallback: () => defaultHome(homedir()),
    environmentVariable: 'LACHESIS_HOME',
    describe,
  });

/** How long a batch is leased where neither the caller nor the settings of the server say otherwise. */
export const DEFAULT_BATCH_LEASE_SECONDS = 60;

/** One setting for the server that leases batches and for a trainer that wants another time than the server's. */
export const batchLeaseSetting = {
  kind: wholeNumber({ min: 1, max: 3600 }),
  environmentVariable: 'LACHESIS_BATCH_LEASE_SECONDS',
};

/** How much of what is sent a server takes: one body, and all of them together. The reason for the numbers is the caller's. */
export const bodySettings = (megabytes: { largest: number; together: number }) => ({
  maxBodyBytes: setting({
    kind: wholeNumber({ min: 1024, max: GIB }),
    fallback: () => megabytes.largest * MIB,
    environmentVariable: 'LACHESIS_MAX_BODY_BYTES',
    describe: 'largest request body on the wire',
  }),
  bodyBudgetBytes: setting({
    kind: wholeNumber({ min: MIB, max: 64 * GIB }),
    fallback: () => megabytes.together * MIB,
    environmentVariable: 'LACHESIS_BODY_BUDGET_BYTES',
    describe: 'request bodies held in memory at once; more senders wait in their sockets',
  }),
});

const quota = (options: { fallback: number; max: number; environmentVariable: string; what: string }) =>
  setting({
    kind: wholeNumber({ min: 1, max: options.max }),
    fallback: () => options.fallback,
    environmentVariable: options.environmentVariable,
    describe: `${options.what} for one token, four times that for a tenant; more are answered with 429`,
  });

/** Far above what a machine of today serves: they end accidents and attacks, and nobody's work. */
export const QUOTA_SETTINGS = {
  requestsPerSecond: quota({
    ...{ fallback: 5_000, max: 1_000_000, environmentVariable: 'LACHESIS_REQUESTS_PER_SECOND' },
    what: 'requests a second',
  }),
  bytesPerSecond: quota({
    ...{ fallback: GIB, max: 1024 * GIB, environmentVariable: 'LACHESIS_BYTES_PER_SECOND' },
    what: 'bytes of bodies a second',
  }),
  openRequests: quota({
    ...{ fallback: 10_000, max: 1_000_000, environmentVariable: 'LACHESIS_OPEN_REQUESTS' },
    what: 'requests under way at once',
  }),
  openStreams: quota({
    ...{ fallback: 250, max: 100_000, environmentVariable: 'LACHESIS_OPEN_STREAMS' },
    what: 'event streams open at once',
  }),
};

/** What every server has, whatever it serves. */
export const SERVER_SETTINGS = {
  ...QUOTA_SETTINGS,
  host: setting({
    kind: text(),
    fallback: () => '127.0.0.1',
    environmentVariable: 'LACHESIS_HOST',
    describe: 'address to listen on; an address that others can reach needs tokens',
  }),
  databaseUrl: setting<string | undefined>({
    kind: databaseUrl(),
    conceal: redactDatabaseUrl,
    fallback: () => undefined,
    environmentVariable: 'DATABASE_URL',
    describe: 'postgres:// URL; without it SQLite in the home folder is used',
  }),
  allowHosts: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: 'LACHESIS_ALLOW_HOSTS',
    describe: 'further Host names to answer to, separated by commas',
  }),
  allowOrigins: setting<string[]>({
    kind: list(),
    fallback: () => [],
    environmentVariable: 'LACHESIS_ALLOW_ORIGINS',
    describe: 'origins of web pages that may call, separated by commas',
  }),
  logLevel: setting({
    kind: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    fallback: () => 'info',
    environmentVariable: 'LACHESIS_LOG_LEVEL',
    describe: 'least level that is logged',
  }),
};
