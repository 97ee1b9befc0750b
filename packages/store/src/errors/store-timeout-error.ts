import { hasErrorKind, StoreError } from './store-error.ts';
import type { WriteOutcome } from './store-error.ts';

const KIND = 'StoreTimeoutError';

/** The deadline passed: while waiting for a connection, for a lock or for the database's answer. */
export class StoreTimeoutError extends StoreError {
  readonly retryable = true;
  readonly deadlineMs: number;
  /** What took too long, such as `waiting for a connection`. */
  readonly waitingFor: string;
  readonly outcome: WriteOutcome;

  constructor(options: { deadlineMs: number; waitingFor: string; outcome: WriteOutcome; cause?: unknown }) {
    const { deadlineMs, waitingFor, outcome, cause } = options;
    const tail = outcome === 'unknown' ? ' Read the rows back before trying again: the write may have happened.' : '';
    super(KIND, `The database did not answer within ${deadlineMs} ms (${waitingFor}).${tail}`, cause);
    this.deadlineMs = deadlineMs;
    this.waitingFor = waitingFor;
    this.outcome = outcome;
  }

  static isInstance(error: unknown): error is StoreTimeoutError {
    return hasErrorKind(error, KIND);
  }
}
