import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'StoreConflictError';

/** A row with the same unique key exists already. */
export class StoreConflictError extends StoreError {
  readonly retryable = false;
  /** The constraint (PostgreSQL) or the columns (SQLite) that refused the row. */
  readonly constraint: string;

  constructor(options: { constraint: string; cause?: unknown }) {
    super(KIND, `A row with the same key exists already (${options.constraint}).`, options.cause);
    this.constraint = options.constraint;
  }

  static isInstance(error: unknown): error is StoreConflictError {
    return hasErrorKind(error, KIND);
  }
}
