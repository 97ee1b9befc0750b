import { list, oneOf, text } from './setting-kinds.ts';
import { setting } from './setting-spec.ts';

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
