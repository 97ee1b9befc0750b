import { homedir } from 'node:os';
import { join } from 'node:path';
import { list, oneOf, text, wholeNumber } from './setting-kinds.ts';
import { setting } from './setting-spec.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

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
    fallback: () => join(homedir(), '.lachesis'),
    environmentVariable: 'LACHESIS_HOME',
    describe,
  });

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

/** What every server has, whatever it serves. */
export const SERVER_SETTINGS = {
  host: setting({
    kind: text(),
    fallback: () => '127.0.0.1',
    environmentVariable: 'LACHESIS_HOST',
    describe: 'address to listen on; an address that others can reach needs tokens',
  }),
  databaseUrl: setting<string | undefined>({
    kind: text({
      pattern: /^postgres(ql)?:\/\//,
      refusal: 'it must be a postgres:// URL; leave it out for SQLite in the home folder',
    }),
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
