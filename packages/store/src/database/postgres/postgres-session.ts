import type { PoolClient } from 'pg';
import type { WriteOutcome } from '../../errors/store-error.ts';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import type { Deadline } from '../deadline.ts';
import type { ReleasePlace } from '../gate.ts';
import type { Session, SessionResult } from '../session.ts';
import { isReadOnly, toStoreError } from './postgres-error.ts';
import { toPostgresValues } from './postgres-values.ts';
import { StatementPipeline } from './statement-pipeline.ts';
import type { PipelineResult, PipelineStatement } from './statement-pipeline.ts';

/** pg's own timeout is the second net under the session's timer, for a client that lost track of its socket. */
const QUERY_TIMEOUT_SLACK_MS = 1_000;

/** What PostgreSQL refuses inside of one. */
const OUTSIDE_TRANSACTIONS = /^\s*(create|drop) index concurrently /i;

export interface PostgresSessionOptions {
  client: PoolClient;
  deadline: Deadline;
  releasePlace: ReleasePlace;
  /** What every transaction begins with behind a pooler; undefined where the connection itself has the settings. */
  settingsSql: string | undefined;
}

/** A pooled connection for one deadline. At the deadline it is destroyed: its state is unknown, so nobody may use it again. */
export class PostgresSession implements Session {
  readonly #client: PoolClient;
  readonly #deadline: Deadline;
  readonly #releasePlace: ReleasePlace;
  readonly #timer: NodeJS.Timeout;
  readonly #settingsSql: string | undefined;
  #state: 'open' | 'released' | 'expired' = 'open';
  /** It leads to a server that takes no writes. */
  #isSpent = false;

  constructor(options: PostgresSessionOptions) {
    this.#client = options.client;
    this.#settingsSql = options.settingsSql;
    this.#deadline = options.deadline;
    this.#releasePlace = options.releasePlace;
    this.#timer = setTimeout(() => this.#giveBack('expired', true), options.deadline.remainingMs());
  }

  async run(sql: string, parameters: readonly unknown[], outcome: WriteOutcome): Promise<SessionResult> {
    // What may write is committed under our settings, in a transaction of its own where it has none.
    const isAlone = outcome === 'unknown' && isIdle(this.#client) && !OUTSIDE_TRANSACTIONS.test(sql);
    if (this.#settingsSql !== undefined && isAlone) {
      return await this.#runAlone(sql, parameters);
    }
    if (this.#settingsSql !== undefined && sql.startsWith('begin')) {
      await this.#query(`${sql}; ${this.#settingsSql}`, [], outcome);
      return { rows: [], changes: undefined, command: 'BEGIN' };
    }
    const result = await this.#query(sql, parameters, outcome);
    const isRead = result.command === 'SELECT' || result.rowCount === null;
    return { rows: result.rows, changes: isRead ? undefined : (result.rowCount ?? 0), command: result.command };
  }

  /** What a transaction that is sent in one go begins with. */
  get opening(): readonly PipelineStatement[] {
    const begin = { sql: 'begin', values: [] };
    return this.#settingsSql === undefined ? [begin] : [begin, { sql: this.#settingsSql, values: [] }];
  }

  async #runAlone(sql: string, parameters: readonly unknown[]): Promise<SessionResult> {
    try {
      await this.run('begin', [], 'nothing-written');
      const result = await this.run(sql, parameters, 'nothing-written');
      await this.run('commit', [], 'unknown');
      return result;
    } catch (error) {
      await this.run('rollback', [], 'nothing-written').catch(() => this.discard());
      throw error;
    }
  }

  #query(sql: string, parameters: readonly unknown[], outcome: WriteOutcome) {
    const config = { text: sql, values: toPostgresValues(parameters), query_timeout: this.#queryTimeoutMs() };
    return this.#guard(() => this.#client.query<Record<string, unknown>>(config), outcome);
  }

  /**
   * All statements in one round trip; nothing of it is committed by itself when the first one is BEGIN. `rowCounts` gets
   * those of the statements that ran, also when a later one failed.
   */
  async runPipeline(statements: readonly PipelineStatement[], rowCounts: number[]): Promise<PipelineResult> {
    return await this.#guard(
      () =>
        new Promise<PipelineResult>((resolve, reject) => {
          const pipeline = new StatementPipeline(statements, rowCounts, (error, result) => {
            if (result === undefined) reject(error ?? new Error('The pipeline ended without a result.'));
            else resolve(result);
          });
          this.#client.query(Object.assign(pipeline, { query_timeout: this.#queryTimeoutMs() }));
        }),
      'nothing-written',
    );
  }

  release(): void {
    // A connection that is still inside a transaction would hand it to its next user.
    if (this.#state === 'open') this.#giveBack('released', this.#isSpent || !isIdle(this.#client));
  }

  discard(): void {
    if (this.#state === 'open') this.#giveBack('released', true);
  }

  async #guard<T>(run: () => Promise<T>, outcome: WriteOutcome): Promise<T> {
    if (this.#state !== 'open') throw this.#createTimeout('nothing-written');
    try {
      return await run();
    } catch (error) {
      this.#isSpent ||= isReadOnly(error);
      if (this.#isExpired()) throw this.#createTimeout(outcome, error);
      throw toStoreError(error, { deadlineMs: this.#deadline.ms, outcome });
    }
  }

  /** Read through a method: the timer changes it while `#guard` awaits, which the compiler cannot see. */
  #isExpired(): boolean {
    return this.#state === 'expired';
  }

  #queryTimeoutMs(): number {
    return Math.ceil(this.#deadline.remainingMs()) + QUERY_TIMEOUT_SLACK_MS;
  }

  #giveBack(state: 'released' | 'expired', destroy: boolean): void {
    this.#state = state;
    clearTimeout(this.#timer);
    this.#client.release(destroy);
    this.#releasePlace();
  }

  #createTimeout(outcome: WriteOutcome, cause?: unknown): StoreTimeoutError {
    return new StoreTimeoutError({ deadlineMs: this.#deadline.ms, waitingFor: 'running a statement', outcome, cause });
  }
}

/** pg tells the server's transaction status but its types do not; unknown counts as busy. */
function isIdle(client: PoolClient): boolean {
  const { getTransactionStatus } = client as PoolClient & { getTransactionStatus?: () => string | null };
  return getTransactionStatus?.call(client) === 'I';
}
