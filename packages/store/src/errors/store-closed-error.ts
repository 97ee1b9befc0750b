import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'StoreClosedError';

/** The store was closed by its owner; a later call is a fault of the caller. */
export class StoreClosedError extends StoreError {
  readonly retryable = false;

  constructor() {
    super(KIND, 'The store is closed. Open it again to use it.');
  }

  static isInstance(error: unknown): error is StoreClosedError {
    return hasErrorKind(error, KIND);
  }
}
