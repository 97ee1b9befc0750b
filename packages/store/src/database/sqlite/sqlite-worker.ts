import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { runUnits } from './run-units.ts';
import { describeFailure } from './sqlite-failure.ts';
import type {
  SqliteQueryAnswer,
  SqliteReply,
  SqliteRequest,
  SqliteStatement,
  SqliteWorkerData,
} from './sqlite-messages.ts';
import { listColumns, StatementCache } from './statement-cache.ts';

/** The thread that owns the database file: SQLite's calls block until the disk has answered. */
if (parentPort === null) throw new Error('sqlite-worker is started by the store as a worker thread.');
const port = parentPort;
const { path, busyTimeoutMs, maxCachedStatements } = workerData as SqliteWorkerData;

const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
database.exec('pragma journal_mode = wal');
// FULL syncs the log at every commit; NORMAL would acknowledge what a power cut takes away.
database.exec('pragma synchronous = full');
// A large library has a dozen indexes: with SQLite's own 2 MB their pages are read again and again. Taken as they are needed.
database.exec('pragma cache_size = -32768');
// On macOS a plain fsync leaves the bytes in the drive's cache.
database.exec('pragma fullfsync = on');
const statements = new StatementCache(database, maxCachedStatements);

port.on('message', (request: SqliteRequest) => {
  const reply = answerRequest(request);
  port.postMessage(reply);
  if (request.kind === 'close') port.close();
});

function answerRequest(request: SqliteRequest): SqliteReply {
  const { id } = request;
  try {
    switch (request.kind) {
      case 'query':
        return { id, kind: 'query', answer: runQuery(request.statement) };
      case 'commit':
        return { id, kind: 'commit', answer: runUnits(database, statements, request.units) };
      case 'abandon':
        if (database.isTransaction) database.exec('rollback');
        return { id, kind: 'done' };
      case 'close':
        database.close();
        return { id, kind: 'done' };
    }
  } catch (error) {
    return { id, kind: 'failed', failure: describeFailure(error) };
  }
}

function runQuery({ sql, parameters }: SqliteStatement): SqliteQueryAnswer {
  const { statement, columns, hasStar } = statements.prepare(sql);
  if (columns.length === 0) return { columns, rows: [], changes: Number(statement.run(...parameters).changes) };
  // As arrays, which the type of `all` does not know.
  const rows = statement.all(...parameters) as unknown as unknown[][];
  // A writing statement with RETURNING gives one row for each row it changed.
  return {
    columns: hasStar ? listColumns(statement) : columns,
    rows,
    changes: /^\s*(?:select|with|pragma)\b/i.test(sql) ? undefined : rows.length,
  };
}
