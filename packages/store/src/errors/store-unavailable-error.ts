import { hasErrorKind, StoreError } from './store-error.ts';
import type { WriteOutcome } from './store-error.ts';

const KIND = 'StoreUnavailableError';

/** The database cannot be reached, went away during the call, or asked to try again. */
export class StoreUnavailableError extends StoreError {
  readonly retryable = true;
  /** The code of the driver or the operating system, such as `ECONNREFUSED` or `57P01`. */
  readonly code: string | undefined;
  readonly outcome: WriteOutcome;

  constructor(options: { detail: string; code?: string | undefined; outcome: WriteOutcome; cause?: unknown }) {
    const { detail, code, outcome, cause } = options;
    const tail = outcome === 'unknown' ? ' Read the rows back before trying again: the write may have happened.' : '';
    super(KIND, `The database is unavailable: ${detail}.${tail}`, cause);
    this.code = code;
    this.outcome = outcome;
  }

  static isInstance(error: unknown): error is StoreUnavailableError {
    return hasErrorKind(error, KIND);
  }
}
