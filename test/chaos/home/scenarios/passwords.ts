import { findQuietPort } from '../../../kit/find-quiet-port.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';
import { startRefused } from '../start-refused.ts';

const PASSWORD = ['S3cret', 'Passw0rd'].join('');

const URLS: readonly (readonly [what: string, url: string])[] = [
  ['no port number of the second host', `postgres://me:${PASSWORD}@db1:5432,db2:port/rep`],
  ['a standby asked for', `postgres://me:${PASSWORD}@db1:5432,db2:5432/rep?target_session_attrs=standby`],
  ['no port number', `postgres://me:${PASSWORD}@127.0.0.1:port/rep`],
  ['another database', `mysql://me:${PASSWORD}@127.0.0.1/rep`],
  ['a password with #', `postgres://me:${PASSWORD}#x@127.0.0.1/rep`],
];

/** Addresses of databases that cannot be used. */
export const passwordsScenario: Scenario = {
  name: 'passwords',
  title: 'a database URL that cannot be used is refused once, and its password is in no output',
  async run(context) {
    const home = await context.scratch();
    const refusals = await Promise.all(
      URLS.map(async ([what, databaseUrl]) => ({
        what,
        ...(await startRefused({ home, databaseUrl, port: await findQuietPort() })),
      })),
    );
    const shown = refusals.filter(({ text }) => text.includes(PASSWORD));
    const repeated = refusals.filter(({ isFinal }) => !isFinal);
    context.report({
      name: 'wrong database URLs',
      figure: `${refusals.length} tried, ${repeated.length} tried again, password shown by ${shown.map(({ what }) => what).join(', ') || 'none'}`,
      bar: '0 tried again, shown by none',
      ok: shown.length === 0 && repeated.length === 0,
    });
  },
};
