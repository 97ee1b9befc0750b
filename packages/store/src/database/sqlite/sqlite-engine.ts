import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Dialect } from 'kysely';
import { StoreClosedError } from '../../errors/store-closed-error.ts';
import type { DatabaseEngine } from '../engine.ts';
import { Gate } from '../gate.ts';
import { SessionDriver } from '../session-driver.ts';
import type { SessionSource } from '../session.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteSession } from './sqlite-session.ts';
import { SqliteThread } from './sqlite-thread.ts';

/** Kysely would line callers up itself, without a deadline; the gate does it with one. */
class LinedUpSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export interface SqliteEngineOptions {
  path: string;
  deadlineMs: number;
  maxCachedStatements?: number;
}

/** One file, one thread, one connection that callers take turns on. */
export function openSqliteEngine(options: SqliteEngineOptions): DatabaseEngine {
  const { deadlineMs, maxCachedStatements = 500 } = options;
  const path = resolve(options.path);
  makeDurableFile(path);
  // Shorter than the deadline, so that "another process holds the file" arrives as itself and not as a timeout.
  const busyTimeoutMs = Math.max(1, Math.floor(deadlineMs * 0.8));
  const thread = new SqliteThread({ path, busyTimeoutMs, maxCachedStatements });
  const gate = new Gate(1);
  const groupCommit = new GroupCommit({ thread, gate });
  let isClosed = false;

  const source: SessionSource = {
    async openSession(deadline) {
      if (isClosed) throw new StoreClosedError();
      const releasePlace = await gate.acquire(deadline);
      return new SqliteSession({ thread, deadline, releasePlace });
    },
  };

  return {
    dialect: 'sqlite',
    createKyselyDialect: (driverOptions): Dialect => ({
      createAdapter: () => new LinedUpSqliteAdapter(),
      createDriver: () => new SessionDriver({ source, ...driverOptions, beginSql: () => 'begin immediate' }),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    }),
    async commit(unit, commitDeadlineMs) {
      if (isClosed) throw new StoreClosedError();
      return await groupCommit.commit(unit, commitDeadlineMs);
    },
    async close() {
      isClosed = true;
      await groupCommit.whenIdle();
      const releasePlace = await gate.acquire();
      await thread.stop();
      releasePlace();
    },
  };
}

/**
 * SQLite syncs what it writes but not the entry of a new file in its folder. If we die here, an empty file or folder is
 * left, which the next start takes as a new database.
 */
function makeDurableFile(path: string): void {
  const directory = dirname(path);
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) syncDirectory(dirname(made));
  makeFile(path);
  syncDirectory(directory);
}

/** A file that is there is not opened: closing it would take this process's other connections their locks (POSIX), and another process could then remove the log under them. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
