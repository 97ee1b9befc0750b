import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import { createCuttableProxy } from '../../testing/cuttable-proxy.fixture.ts';
import { createPostgresServer, findPostgresPrograms } from '../../testing/postgres-server.fixture.ts';
import { createPostgresTarget, TEST_DATABASE_URL } from '../../testing/test-stores.fixture.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';

const isRetryable = (error: unknown): boolean =>
  StoreTimeoutError.isInstance(error) || StoreUnavailableError.isInstance(error);

describe.skipIf(TEST_DATABASE_URL === undefined)('a PostgreSQL store', () => {
  it('asks for durable commits and for timeouts on every connection, and keeps the options of the address', async () => {
    await using target = await createPostgresTarget();
    const { db } = await target.open({ deadlineMs: 3_000 });
    expect(await show(db, 'synchronous_commit')).toBe('on');
    expect(await show(db, 'statement_timeout')).toBe('3s');
    expect(await show(db, 'lock_timeout')).toBe('1s');
    expect(await show(db, 'idle_in_transaction_session_timeout')).toBe('10s');
    expect(await show(db, 'search_path')).toMatch(/^store_/);
  });

  it('lets a test weaken a connection', async () => {
    await using target = await createPostgresTarget();
    const { db } = await target.open({ sessionSettings: { synchronous_commit: 'off', application_name: 'a b' } });
    expect(await show(db, 'synchronous_commit')).toBe('off');
  });

  it('gives up on a lock after the lock timeout', async () => {
    await using target = await createPostgresTarget();
    const holder = await target.open();
    const waiter = await target.open({ lockTimeoutMs: 100 });
    await holder.db.insertInto('runs').values({ tenant_id: 't', run_id: 'r', name: 'r', created_at: 0 }).execute();
    await holder.db.transaction().execute(async (transaction) => {
      await transaction.updateTable('runs').set({ created_at: 1 }).execute();
      const query = waiter.db.updateTable('runs').set({ created_at: 2 }).compile();
      const error = await waiter.commit({ statements: [{ query }] }).catch((caught: unknown) => caught);
      expect(StoreTimeoutError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ outcome: 'nothing-written' });
    });
  });

  it('ends a slow statement at the deadline and never reuses its connection', async () => {
    await using target = await createPostgresTarget();
    const store = await target.open({ deadlineMs: 300, poolSize: 1 });
    // The server's own timeout is as long; when it is the faster one, the connection is in order and stays in use.
    await sql`set statement_timeout = 0`.execute(store.db);
    const before = await readBackend(store);
    const started = performance.now();
    await expect(sql`select pg_sleep(10)`.execute(store.db)).rejects.toSatisfy(StoreTimeoutError.isInstance);
    expect(performance.now() - started).toBeLessThan(1_300);
    expect(await readBackend(store)).not.toBe(before);
  });

  it('reports a cut network within the deadline and goes on when it is mended', async () => {
    await using target = await createPostgresTarget();
    const url = new URL(target.address.databaseUrl ?? '');
    await using proxy = await createCuttableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const store = await target.open({ databaseUrl: url.href, deadlineMs: 700 });
    await store.now();
    proxy.cut();
    const started = performance.now();
    const calls = [...Array.from({ length: 15 }, () => store.now()), insertRun(store, 'lost')];
    const results = await Promise.allSettled(calls);
    expect(performance.now() - started).toBeLessThan(1_700);
    expect(results.every((result) => result.status === 'rejected' && isRetryable(result.reason))).toBe(true);
    proxy.mend();
    await expect(eventually(() => store.now())).resolves.toBeTypeOf('number');
    await expect(insertRun(store, 'kept')).resolves.toHaveProperty('databaseNow');
  });

  it('says at once that nobody listens', async () => {
    const opening = openStore({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(opening).rejects.toMatchObject({ name: 'StoreUnavailableError', code: 'ECONNREFUSED' });
  });
});

const programs = findPostgresPrograms();

// Skipped where no server can be started: pausing and killing the shared one would fail everybody else's tests.
describe.skipIf(TEST_DATABASE_URL === undefined || programs === undefined)('a PostgreSQL server in trouble', () => {
  it('is an error within the deadline while it stands still, and is used again when it moves', async () => {
    await using server = await createPostgresServer(programs ?? '');
    const store = await openStore({ databaseUrl: server.databaseUrl, deadlineMs: 800 });
    await insertRun(store, 'before');
    server.pause();
    const started = performance.now();
    const results = await Promise.allSettled([
      ...Array.from({ length: 15 }, () => store.now()),
      ...Array.from({ length: 5 }, (_, index) => insertRun(store, `during-${index}`)),
    ]);
    expect(performance.now() - started).toBeLessThan(1_800);
    expect(results.every((result) => result.status === 'rejected' && isRetryable(result.reason))).toBe(true);
    server.resume();
    await expect(eventually(() => insertRun(store, 'after'))).resolves.toHaveProperty('databaseNow');
    expect(await readRuns(store)).toEqual(expect.arrayContaining(['after', 'before']));
    await store.close();
  });

  it('heals after a crash, with everything that was acknowledged', async () => {
    await using server = await createPostgresServer(programs ?? '');
    const background: Error[] = [];
    const store = await openStore({
      databaseUrl: server.databaseUrl,
      deadlineMs: 1_500,
      onBackgroundError: (error) => background.push(error),
    });
    const acknowledged: string[] = [];
    let isRunning = true;
    const writers = Array.from({ length: 4 }, async (_, lane) => {
      for (let turn = 0; isRunning; turn += 1) {
        const name = `${lane}-${turn}`;
        try {
          await insertRun(store, name);
          acknowledged.push(name);
        } catch (error) {
          if (!isRetryable(error)) throw error;
          await sleep(20);
        }
      }
    });
    for (let crash = 0; crash < 2; crash += 1) {
      const goal = acknowledged.length + 50;
      while (acknowledged.length < goal) await sleep(10);
      await server.stopImmediately();
      await expect(store.now()).rejects.toSatisfy(StoreUnavailableError.isInstance);
      await server.start();
    }
    const goal = acknowledged.length + 50;
    while (acknowledged.length < goal) await sleep(10);
    isRunning = false;
    await Promise.all(writers);
    const kept = new Set(await readRuns(store));
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    await store.close();
  });
});

async function show(db: Store['db'], name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db);
  return rows[0]?.value;
}

async function readBackend({ db }: Store): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid;
}

async function readRuns({ db }: Store): Promise<string[]> {
  return (await db.selectFrom('runs').select('name').execute()).map(({ name }) => name);
}

function insertRun(store: Store, name: string): Promise<unknown> {
  const query = store.db.insertInto('runs').values({ tenant_id: 't', run_id: name, name, created_at: 0 }).compile();
  return store.commit({ statements: [{ query, expectRows: 1 }] });
}

/** Connections that were lost are replaced as callers meet them, so the first calls may still fail. */
async function eventually<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      await sleep(50);
    }
  }
  return await run();
}
