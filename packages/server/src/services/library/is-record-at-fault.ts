import { StaleWriteError, StoreClosedError } from '@lachesis/store';
import { DiskFullError } from '@lachesis/store/blobs';

/** A store that is away takes records later; one that it can never take must not hold up the others. */
export function isRecordAtFault(error: unknown): boolean {
  const isForLater = [StoreClosedError, DiskFullError, StaleWriteError].some((kind) => kind.isInstance(error));
  return !isForLater && !isRetryable(error);
}

const isRetryable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
