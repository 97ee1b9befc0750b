import { hasErrorKind, StoreError } from './store-error.ts';

const MISSING = 'BlobMissingError';
const CORRUPT = 'BlobCorruptError';

/** Thrown when there is no payload with this digest. */
export class BlobMissingError extends StoreError {
  readonly retryable = false;
  readonly digest: string;

  constructor(options: { digest: string; cause?: unknown }) {
    super(MISSING, `There is no blob ${options.digest}.`, options.cause);
    this.digest = options.digest;
  }

  static isInstance(error: unknown): error is BlobMissingError {
    return hasErrorKind(error, MISSING);
  }
}

/** The bytes of a blob are not the bytes that were put there. */
export class BlobCorruptError extends StoreError {
  readonly retryable = false;
  readonly digest: string;
  readonly actualDigest: string;

  constructor(options: { digest: string; actualDigest: string }) {
    const { digest, actualDigest } = options;
    super(CORRUPT, `Blob ${digest} is damaged: its bytes have the digest ${actualDigest}. Restore it from a copy.`);
    this.digest = digest;
    this.actualDigest = actualDigest;
  }

  static isInstance(error: unknown): error is BlobCorruptError {
    return hasErrorKind(error, CORRUPT);
  }
}
