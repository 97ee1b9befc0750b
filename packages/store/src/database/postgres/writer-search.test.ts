import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createPostgresServer, findPostgresPrograms } from '../../testing/postgres-server.fixture.ts';
import { TEST_DATABASE_URL } from '../../testing/test-stores.fixture.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';

const programs = findPostgresPrograms();

describe.skipIf(TEST_DATABASE_URL === undefined || programs === undefined)('an address of several servers', () => {
  it('leads to the one that takes writes, and to the other once that has taken over', async () => {
    await using one = await createPostgresServer(programs ?? '');
    await using other = await createPostgresServer(programs ?? '');
    await setReadOnly(one.databaseUrl, true);
    const store = await openStore({ databaseUrl: join(one.databaseUrl, other.databaseUrl), deadlineMs: 4_000 });
    expect(await readPort(store)).toBe(portOf(other.databaseUrl));
    await setReadOnly(one.databaseUrl, false);
    await other.stopImmediately();
    // What was open breaks, and the next connection goes on.
    await store.now().catch(() => undefined);
    expect(await readPort(store)).toBe(portOf(one.databaseUrl));
    await store.close();
  });

  it('is an error that says so while all of them only read, and heals', async () => {
    await using one = await createPostgresServer(programs ?? '');
    const store = await openStore({
      databaseUrl: join('postgres://lachesis@127.0.0.1:1/postgres', one.databaseUrl),
      deadlineMs: 3_000,
      poolSize: 1,
    });
    await setReadOnly(one.databaseUrl, true);
    await one.stopImmediately();
    await one.start();
    await store.now().catch(() => undefined);
    await expect(store.now()).rejects.toMatchObject({ name: 'StoreUnavailableError', outcome: 'nothing-written' });
    await setReadOnly(one.databaseUrl, false);
    await store.now().catch(() => undefined);
    expect(await readPort(store)).toBe(portOf(one.databaseUrl));
    await store.close();
  });
});

const portOf = (databaseUrl: string): string => new URL(databaseUrl).port;

const join = (one: string, other: string): string =>
  one.replace(/:\d+\//, (end) => `${end.slice(0, -1)},127.0.0.1:${portOf(other)}/`);

async function readPort({ db }: Store): Promise<string | undefined> {
  const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(db);
  return rows[0]?.port;
}

/** As a standby is for whoever writes. */
async function setReadOnly(databaseUrl: string, isReadOnly: boolean): Promise<void> {
  const store = await openStore({ databaseUrl, sessionSettings: { default_transaction_read_only: 'off' } });
  await sql.raw(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`).execute(store.db);
  await sql`select pg_reload_conf()`.execute(store.db);
  await store.close();
}
