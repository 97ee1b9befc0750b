import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import type { WriteOutcome } from '../../errors/store-error.ts';
import type { Deadline } from '../deadline.ts';
import type { ReleasePlace } from '../gate.ts';
import type { Session, SessionResult } from '../session.ts';
import { createErrorFromFailure } from './sqlite-failure.ts';
import type { SqliteThread } from './sqlite-thread.ts';
import { toSqliteValues } from './sqlite-values.ts';

/** The one connection, lent out. The worker answers in order, so what is sent after `abandon` finds a clean connection. */
export class SqliteSession implements Session {
  readonly #thread: SqliteThread;
  readonly #deadline: Deadline;
  readonly #releasePlace: ReleasePlace;
  readonly #timer: NodeJS.Timeout;
  #rejectActive: ((error: Error) => void) | undefined;
  #activeOutcome: WriteOutcome = 'nothing-written';
  #state: 'open' | 'released' | 'expired' = 'open';

  constructor(options: { thread: SqliteThread; deadline: Deadline; releasePlace: ReleasePlace }) {
    this.#thread = options.thread;
    this.#deadline = options.deadline;
    this.#releasePlace = options.releasePlace;
    this.#timer = setTimeout(() => this.#expire(), options.deadline.remainingMs());
  }

  async run(sql: string, parameters: readonly unknown[], outcome: WriteOutcome): Promise<SessionResult> {
    if (this.#state !== 'open') throw this.#createTimeout('nothing-written');
    const statement = { sql, parameters: toSqliteValues(parameters) };
    const expired = new Promise<never>((_resolve, reject) => {
      this.#rejectActive = reject;
      this.#activeOutcome = outcome;
    });
    const reply = await Promise.race([this.#thread.send({ kind: 'query', statement }), expired])
      .catch((cause: unknown) => {
        if (StoreTimeoutError.isInstance(cause)) throw cause;
        throw new StoreUnavailableError({
          detail: cause instanceof Error ? cause.message : String(cause),
          outcome,
          cause,
        });
      })
      .finally(() => {
        this.#rejectActive = undefined;
      });
    if (reply.kind === 'failed') {
      throw createErrorFromFailure(reply.failure, { deadlineMs: this.#deadline.ms, outcome });
    }
    if (reply.kind !== 'query') throw new Error(`The SQLite thread answered a query with "${reply.kind}".`);
    const { columns, rows, changes } = reply.answer;
    return { rows: rows.map((values) => toRow(columns, values)), changes, command: undefined };
  }

  release(): void {
    if (this.#state === 'open') this.#giveBack('released', false);
  }

  discard(): void {
    if (this.#state === 'open') this.#giveBack('released', true);
  }

  #expire(): void {
    this.#giveBack('expired', true);
    this.#rejectActive?.(this.#createTimeout(this.#activeOutcome));
  }

  #giveBack(state: 'released' | 'expired', mayBeInTransaction: boolean): void {
    this.#state = state;
    clearTimeout(this.#timer);
    if (mayBeInTransaction) {
      // A thread that ended has no transaction left to abandon.
      this.#thread.send({ kind: 'abandon' }).catch(() => undefined);
    }
    this.#releasePlace();
  }

  #createTimeout(outcome: WriteOutcome): StoreTimeoutError {
    return new StoreTimeoutError({ deadlineMs: this.#deadline.ms, waitingFor: 'running a statement', outcome });
  }
}

function toRow(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index];
  return row;
}
