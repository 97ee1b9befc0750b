import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Dialect, TransactionSettings } from 'kysely';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { StoreClosedError } from '../../errors/store-closed-error.ts';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import type { Deadline } from '../deadline.ts';
import { startDeadline } from '../deadline.ts';
import type { DatabaseEngine } from '../engine.ts';
import { Gate } from '../gate.ts';
import { SessionDriver } from '../session-driver.ts';
import { commitUnit } from './commit-unit.ts';
import { createPoolConfig, listServers, listSessionSettings } from './pool-config.ts';
import type { PostgresOptions } from './pool-config.ts';
import { toStoreError } from './postgres-error.ts';
import { PostgresSession } from './postgres-session.ts';
import { createLocalSettings, hasSettings, isRefusedAtStart } from './session-settings.ts';
import type { SettingsMode } from './session-settings.ts';
import { createWriterSearch } from './writer-search.ts';

export interface PostgresEngineOptions extends PostgresOptions {
  /** Told about connections that broke while nobody used them; the pool has replaced them already. */
  onBackgroundError: (error: Error) => void;
}

/** A pool behind a gate. The pool heals by itself: a broken connection is dropped and the next caller makes a new one. */
export function openPostgresEngine(options: PostgresEngineOptions): DatabaseEngine {
  const settings = listSessionSettings(options);
  const settingsSql = createLocalSettings(settings);
  const servers = listServers(options.databaseUrl);
  const search = servers.length > 1 ? createWriterSearch(servers) : undefined;
  const gate = new Gate(options.poolSize);
  const clients = new Set<PoolClient>();
  let isClosed = false;
  let pool = openPool('startup');
  /** Not known until a server or a pooler has answered once. */
  let mode: SettingsMode | undefined;

  function openPool(opened: SettingsMode): Pool {
    const made = new Pool({ ...createPoolConfig(options, opened), ...(search && { Client: search.Client }) });
    made.on('error', options.onBackgroundError);
    made.on('connect', (client) => {
      clients.add(client);
      // A connection that breaks between two statements of its user reports it here; the next statement fails with it.
      client.on('error', () => undefined);
    });
    made.on('remove', (client) => clients.delete(client));
    return made;
  }

  /** Where there are several servers, each gets a try; the search goes on by itself from one to the next. */
  async function connectPool(): Promise<PoolClient> {
    for (let left = (search?.tries ?? 1) - 1; ; left -= 1) {
      try {
        return await pool.connect();
      } catch (error) {
        if (left === 0 || isRefusedAtStart(error)) throw error;
      }
    }
  }

  /** A pooler either refuses settings in the first packet or was told to drop them; both show at the first connection. */
  async function connectFirst(): Promise<PoolClient> {
    const current = pool;
    try {
      const client = await connectPool();
      const isKept = await hasSettings(client, settings).catch((error: unknown) => {
        client.release(true);
        throw error;
      });
      mode ??= isKept ? 'startup' : 'transaction';
      return client;
    } catch (error) {
      if (!isRefusedAtStart(error)) throw error;
      mode = 'transaction';
      // Several may find it out at once: the first opens the other pool.
      if (pool === current) {
        pool = openPool(mode);
        void current.end();
      }
      return await connectPool();
    }
  }

  async function openSession(deadline: Deadline): Promise<PostgresSession> {
    if (isClosed) throw new StoreClosedError();
    const releasePlace = await gate.acquire(deadline);
    const connecting = mode === undefined ? connectFirst() : connectPool();
    const client = await connect(connecting, deadline, releasePlace);
    return new PostgresSession({
      ...{ client, deadline, releasePlace },
      settingsSql: mode === 'transaction' ? settingsSql : undefined,
    });
  }

  return {
    dialect: 'postgres',
    createKyselyDialect: (driverOptions): Dialect => ({
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new SessionDriver({ source: { openSession }, ...driverOptions, beginSql: createBegin }),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    }),
    async commit(unit, deadlineMs) {
      return await commitUnit({ session: await openSession(startDeadline(deadlineMs)), unit });
    },
    async close() {
      isClosed = true;
      // With every place taken nobody is under way any more; each holder is bounded by its own deadline.
      for (let place = 0; place < options.poolSize; place += 1) await gate.acquire();
      await pool.end();
      // A server that stands still never answers the goodbye; its sockets must not keep the process alive.
      for (const client of clients) unreference(client);
    },
  };
}

/** The gate has a place for each connection, so this waits for a new connection at most, never in the pool's own line. */
function connect(connecting: Promise<PoolClient>, deadline: Deadline, releasePlace: () => void): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    let isExpired = false;
    const timer = setTimeout(() => {
      isExpired = true;
      reject(new StoreTimeoutError({ deadlineMs: deadline.ms, waitingFor: 'connecting', outcome: 'nothing-written' }));
    }, deadline.remainingMs());
    connecting.then(
      (client) => {
        clearTimeout(timer);
        if (!isExpired) return resolve(client);
        client.release();
        releasePlace();
      },
      (error: unknown) => {
        clearTimeout(timer);
        releasePlace();
        reject(toStoreError(error, { deadlineMs: deadline.ms, outcome: 'nothing-written' }));
      },
    );
  });
}

function createBegin({ isolationLevel, accessMode }: TransactionSettings): string {
  const parts = ['begin'];
  if (isolationLevel !== undefined) parts.push(`isolation level ${isolationLevel}`);
  if (accessMode !== undefined) parts.push(accessMode);
  return parts.join(' ');
}

function unreference(client: PoolClient): void {
  (client as PoolClient & { unref?: () => void }).unref?.();
}
