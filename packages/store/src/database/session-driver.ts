import { AbortedTransactionError } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import type { WriteOutcome } from '../errors/store-error.ts';
import { startDeadline } from './deadline.ts';
import type { Session, SessionSource } from './session.ts';

/** A Kysely connection over one session. */
class SessionConnection implements DatabaseConnection {
  readonly session: Session;
  isInTransaction = false;

  constructor(session: Session) {
    this.session = session;
  }

  async executeQuery<R>(compiledQuery: CompiledQuery): Promise<QueryResult<R>> {
    const isHarmless = this.isInTransaction || compiledQuery.query.kind === 'SelectQueryNode';
    const outcome: WriteOutcome = isHarmless ? 'nothing-written' : 'unknown';
    const result = await this.session.run(compiledQuery.sql, compiledQuery.parameters, outcome);
    const rows = result.rows as R[];
    return result.changes === undefined ? { rows } : { rows, numAffectedRows: BigInt(result.changes) };
  }

  // oxlint-disable-next-line require-yield -- Kysely's interface asks for an iterator; this one only refuses.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The store does not stream rows, because a long read slows every writer: read in pages by key.');
  }
}

export interface SessionDriverOptions {
  source: SessionSource;
  /** Covers the wait for a connection and every statement until it is given back. */
  deadlineMs: number;
  /** The statement that starts a transaction. */
  beginSql: (settings: TransactionSettings) => string;
}

/** Kysely's driver over sessions, the same for both databases. */
export class SessionDriver implements Driver {
  readonly #options: SessionDriverOptions;

  constructor(options: SessionDriverOptions) {
    this.#options = options;
  }

  async init(): Promise<void> {
    // The source is open before the driver is made.
  }

  async acquireConnection(): Promise<SessionConnection> {
    const { source, deadlineMs } = this.#options;
    return new SessionConnection(await source.openSession(startDeadline(deadlineMs)));
  }

  async beginTransaction(connection: SessionConnection, settings: TransactionSettings): Promise<void> {
    await connection.session.run(this.#options.beginSql(settings), [], 'nothing-written');
    connection.isInTransaction = true;
  }

  async commitTransaction(connection: SessionConnection): Promise<void> {
    const { command } = await connection.session.run('commit', [], 'unknown');
    connection.isInTransaction = false;
    // PostgreSQL answers COMMIT with ROLLBACK when an earlier statement failed and somebody caught its error.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollbackTransaction(connection: SessionConnection): Promise<void> {
    connection.isInTransaction = false;
    try {
      await connection.session.run('rollback', [], 'nothing-written');
    } catch {
      // Without its connection the transaction is gone too. The error that led here is the one to tell.
      connection.session.discard();
    }
  }

  async savepoint(connection: SessionConnection, name: string): Promise<void> {
    await connection.session.run(`savepoint ${quoteName(name)}`, [], 'nothing-written');
  }

  async rollbackToSavepoint(connection: SessionConnection, name: string): Promise<void> {
    await connection.session.run(`rollback to savepoint ${quoteName(name)}`, [], 'nothing-written');
  }

  async releaseSavepoint(connection: SessionConnection, name: string): Promise<void> {
    await connection.session.run(`release savepoint ${quoteName(name)}`, [], 'nothing-written');
  }

  async releaseConnection(connection: SessionConnection): Promise<void> {
    connection.session.release();
  }

  async destroy(): Promise<void> {
    // The store closes the source: several drivers share it.
  }
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
