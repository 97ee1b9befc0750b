import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import type { Gate } from '../gate.ts';
import type { CommitReceipt, WriteUnit } from '../store.ts';
import { createErrorFromFailure } from './sqlite-failure.ts';
import type { SqliteUnit } from './sqlite-messages.ts';
import type { SqliteThread } from './sqlite-thread.ts';
import { toSqliteValues } from './sqlite-values.ts';

/** Bounds how long one transaction holds the file, and with it how long a reader in line waits. */
const MAX_UNITS_PER_COMMIT = 256;

interface WaitingUnit {
  unit: SqliteUnit;
  deadlineMs: number;
  isSent: boolean;
  resolve: (receipt: CommitReceipt) => void;
  reject: (error: Error) => void;
}

/** Collects the units that arrive while a commit runs and sends them together as the next one. */
export class GroupCommit {
  readonly #thread: SqliteThread;
  readonly #gate: Gate;
  readonly #waiting = new Set<WaitingUnit>();
  #draining: Promise<void> | undefined;

  constructor(options: { thread: SqliteThread; gate: Gate }) {
    this.#thread = options.thread;
    this.#gate = options.gate;
  }

  commit(unit: WriteUnit, deadlineMs: number): Promise<CommitReceipt> {
    const { promise, resolve, reject } = Promise.withResolvers<CommitReceipt>();
    const waiting: WaitingUnit = { unit: toSqliteUnit(unit), deadlineMs, isSent: false, resolve, reject };
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      const outcome = waiting.isSent ? 'unknown' : 'nothing-written';
      reject(new StoreTimeoutError({ deadlineMs, waitingFor: 'committing', outcome }));
    }, deadlineMs);
    this.#waiting.add(waiting);
    this.#draining ??= this.#drain();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves when every unit handed over so far has its answer. */
  async whenIdle(): Promise<void> {
    await this.#draining;
  }

  /** Never rejects: every failure goes to the units it concerns. */
  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      const releasePlace = await this.#gate.acquire();
      const units = [...this.#waiting].slice(0, MAX_UNITS_PER_COMMIT);
      for (const waiting of units) {
        this.#waiting.delete(waiting);
        waiting.isSent = true;
      }
      if (units.length > 0) await this.#send(units);
      releasePlace();
    }
    this.#draining = undefined;
  }

  async #send(units: readonly WaitingUnit[]): Promise<void> {
    try {
      const reply = await this.#thread.send({ kind: 'commit', units: units.map(({ unit }) => unit) });
      if (reply.kind !== 'commit' && reply.kind !== 'failed') {
        throw new Error(`the SQLite thread answered a commit with "${reply.kind}"`);
      }
      for (const [index, { resolve, reject, deadlineMs }] of units.entries()) {
        const failure = reply.kind === 'failed' ? reply.failure : reply.answer.failures[index];
        if (reply.kind === 'commit' && failure === null) {
          resolve({ databaseNow: reply.answer.databaseNow });
        } else if (failure !== null && failure !== undefined) {
          reject(createErrorFromFailure(failure, { deadlineMs, outcome: 'unknown' }));
        }
      }
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      for (const { reject } of units) reject(new StoreUnavailableError({ detail, outcome: 'unknown', cause }));
    }
  }
}

function toSqliteUnit({ statements }: WriteUnit): SqliteUnit {
  const places = new Map<string, number>();
  const placeText = (sql: string): number => {
    const known = places.get(sql);
    if (known !== undefined) return known;
    places.set(sql, places.size);
    return places.size - 1;
  };
  const placed = statements.map(
    ({ query, expectRows }) => [placeText(query.sql), toSqliteValues(query.parameters), expectRows ?? null] as const,
  );
  return { texts: [...places.keys()], statements: placed };
}
