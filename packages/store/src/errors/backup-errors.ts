import { hasErrorKind, StoreError } from './store-error.ts';

const DAMAGED = 'BackupDamagedError';
const PLACE = 'BackupPlaceError';

/** Something in a backup is not as it was written. */
export class BackupDamagedError extends StoreError {
  readonly retryable = false;
  readonly path: string;

  constructor({ path, reason, cause }: { path: string; reason: string; cause?: unknown }) {
    super(DAMAGED, `${path} of the backup is damaged: ${reason}.`, cause);
    this.path = path;
  }

  static isInstance(error: unknown): error is BackupDamagedError {
    return hasErrorKind(error, DAMAGED);
  }
}

/** A backup cannot be written to, or restored from or into, that place. Nothing was changed there. */
export class BackupPlaceError extends StoreError {
  readonly retryable = false;

  constructor({ place, reason, cause }: { place: string; reason: string; cause?: unknown }) {
    super(PLACE, `${place} ${reason}. Nothing was changed.`, cause);
  }

  static isInstance(error: unknown): error is BackupPlaceError {
    return hasErrorKind(error, PLACE);
  }
}
