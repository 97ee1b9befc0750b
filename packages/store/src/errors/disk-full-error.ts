import { hasErrorKind, StoreError } from './store-error.ts';

const KIND = 'DiskFullError';

/** No space left; nothing of the call was kept. */
export class DiskFullError extends StoreError {
  readonly retryable = true;
  /** What could not be written: `database` or the path of a blob. */
  readonly target: string;

  constructor(options: { target: string; cause?: unknown }) {
    super(KIND, `No space left to write ${options.target}. Free some space and try again.`, options.cause);
    this.target = options.target;
  }

  static isInstance(error: unknown): error is DiskFullError {
    return hasErrorKind(error, KIND);
  }
}
