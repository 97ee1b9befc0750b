import { setTimeout as sleep } from 'node:timers/promises';

import pg from 'pg';

import { startPostgres, type Postgres } from './start-postgres.ts';

/** A primary whose commits are on a second machine before they are answered, and that second machine. */
export interface PostgresPair extends AsyncDisposable {
  /** The primary of this moment. */
  url(): string;
  /** The primary is gone at once and for good; resolves with the address of the standby, which is the primary from here on. */
  failOver(): Promise<string>;
  /** Gives the primary a standby again, without which another failover would lose what was acknowledged. */
  mend(): Promise<void>;
}

const FOLLOW_MS = 30_000;

export async function startPrimaryWithStandby(): Promise<PostgresPair> {
  let primary = await startPostgres();
  let standby: Postgres | undefined;
  const mend = async (): Promise<void> => {
    standby = await startPostgres({ standbyOf: primary.url });
    await requireStandby(primary.url);
  };
  try {
    await mend();
  } catch (error) {
    await primary[Symbol.asyncDispose]();
    throw error;
  }
  return {
    url: () => primary.url,
    mend,
    async failOver() {
      if (standby === undefined) throw new Error('there is no standby to fail over to');
      await primary[Symbol.asyncDispose]();
      primary = standby;
      standby = undefined;
      await query(primary.url, 'select pg_promote(true, 30)');
      // It has no standby yet: commits would wait for one.
      await setStandbyNames(primary.url, '');
      return primary.url;
    },
    async [Symbol.asyncDispose]() {
      await standby?.[Symbol.asyncDispose]();
      await primary[Symbol.asyncDispose]();
    },
  };
}

/** From here on no commit is answered before the standby has it on disk. */
async function requireStandby(url: string): Promise<void> {
  await setStandbyNames(url, '*');
  const until = performance.now() + FOLLOW_MS;
  while (performance.now() < until) {
    const rows = await query(
      url,
      "select 1 from pg_stat_replication where sync_state = 'sync' and state = 'streaming'",
    );
    if (rows === 1) return;
    await sleep(25);
  }
  throw new Error('the standby does not follow its primary');
}

async function setStandbyNames(url: string, names: string): Promise<void> {
  await query(url, `alter system set synchronous_standby_names = '${names}'`);
  await query(url, 'select pg_reload_conf()');
}

async function query(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
