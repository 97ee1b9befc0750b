import { DiskFullError } from '../../errors/disk-full-error.ts';
import { StaleWriteError } from '../../errors/stale-write-error.ts';
import { StoreConflictError } from '../../errors/store-conflict-error.ts';
import type { WriteOutcome } from '../../errors/store-error.ts';
import { StoreTimeoutError } from '../../errors/store-timeout-error.ts';
import { StoreUnavailableError } from '../../errors/store-unavailable-error.ts';
import type { SqliteFailure } from './sqlite-messages.ts';

/** Primary result codes of SQLite; an extended code has its primary code in the low byte. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

/** Worker side: an error as data. */
export function describeFailure(error: unknown): SqliteFailure {
  if (StaleWriteError.isInstance(error)) {
    const { statementIndex, expectedRows, actualRows } = error;
    return { kind: 'stale', statementIndex, expectedRows, actualRows };
  }
  const { message, code, errcode } = error as { message?: unknown; code?: unknown; errcode?: unknown };
  return {
    kind: 'sqlite',
    message: typeof message === 'string' ? message : String(error),
    code: typeof code === 'string' ? code : 'ERR_SQLITE_ERROR',
    errcode: typeof errcode === 'number' ? errcode : undefined,
  };
}

/** Store side: the data as an error again. */
export function createErrorFromFailure(
  failure: SqliteFailure,
  context: { deadlineMs: number; outcome: WriteOutcome },
): Error {
  if (failure.kind === 'stale') return new StaleWriteError(failure);
  // Node refuses to round a stored integer beyond 2^53.
  if (failure.code === 'ERR_OUT_OF_RANGE') return new RangeError(failure.message);
  const cause = Object.assign(new Error(failure.message), { code: failure.code, errcode: failure.errcode });
  const { errcode, message } = failure;
  if (errcode === CONSTRAINT_UNIQUE || errcode === CONSTRAINT_PRIMARYKEY) {
    return new StoreConflictError({ constraint: message.replace(/^UNIQUE constraint failed: /, ''), cause });
  }
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case FULL:
      return new DiskFullError({ target: 'the database', cause });
    case BUSY:
    case LOCKED:
      return new StoreTimeoutError({
        deadlineMs: context.deadlineMs,
        waitingFor: 'another process holds the database',
        outcome: 'nothing-written',
        cause,
      });
    case IOERR:
    case CANTOPEN:
    case READONLY:
      return new StoreUnavailableError({
        detail: message,
        code: `SQLITE_${errcode}`,
        outcome: context.outcome,
        cause,
      });
    default:
      return cause;
  }
}
