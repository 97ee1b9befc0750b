import { DiskFullError } from '../../errors/disk-full-error.ts';
import { StoreConflictError } from '../../errors/store-conflict-error.ts';
import type { WriteOutcome } from '../../errors/store-error.ts';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';

const DISK_FULL = '53100';
const UNIQUE_VIOLATION = '23505';
/** Statement timeout, lock timeout, idle in transaction, transaction timeout: the server gave up waiting and undid the work. */
const SERVER_TIMEOUTS = new Set(['57014', '55P03', '25P03', '25P04']);
/** Serialization failure and deadlock: undone by the server, fine to run again. */
const RUN_AGAIN = new Set(['40001', '40P01']);
/** The server reads only: it is a standby, or was the primary until a moment ago. */
export const READ_ONLY = '25006';
/** Too many connections, shutdown, crash, starting up, dropped database. */
const GONE = new Set(['53300', '57P01', '57P02', '57P03', '57P04']);
/** Five characters with a digit among them, which tells it from EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

export interface PostgresErrorContext {
  deadlineMs: number;
  /** What it means for the write when the answer is lost. */
  outcome: WriteOutcome;
}

/** Turns what `pg` throws into an error of the store; an error that is no fault of the connection stays itself. */
export function toStoreError(error: unknown, context: PostgresErrorContext): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === DISK_FULL || code === 'ENOSPC') return new DiskFullError({ target: 'the database', cause: error });
  if (code === UNIQUE_VIOLATION) {
    return new StoreConflictError({ constraint: constraint ?? 'unknown constraint', cause: error });
  }
  if (code !== undefined && SERVER_TIMEOUTS.has(code)) {
    return new StoreTimeoutError({
      deadlineMs: context.deadlineMs,
      waitingFor: error.message,
      outcome: 'nothing-written',
      cause: error,
    });
  }
  if (code !== undefined && (RUN_AGAIN.has(code) || code === READ_ONLY)) {
    return new StoreUnavailableError({ detail: error.message, code, outcome: 'nothing-written', cause: error });
  }
  if (isConnectionFault(error, code)) {
    return new StoreUnavailableError({
      detail: error.message || code || 'connection lost',
      code,
      outcome: context.outcome,
      cause: error,
    });
  }
  return error;
}

function isConnectionFault(error: Error, code: string | undefined): boolean {
  if (code !== undefined && SQL_STATE.test(code)) return GONE.has(code) || code.startsWith('08');
  // Errors of the socket have an operating system code; those `pg` makes about a lost connection have none.
  if (code !== undefined) return code.startsWith('E') && !code.startsWith('ERR_');
  return /connection|timeout|not queryable|pool after calling end/i.test(error.message);
}

/** Whether this connection leads to a server that takes no writes; the next one may lead to the new primary. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && (error as { code?: string }).code === READ_ONLY;
}
