import { hasErrorKind, StoreError } from './store-error.ts';

const MISSING = 'BlobMissingError';
const CORRUPT = 'BlobCorruptError';
const UNAVAILABLE = 'BlobsUnavailableError';
const REFUSED = 'BlobsRefusedError';
const PLACE = 'BlobsPlaceError';

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

/** The place of the payloads did not answer until the deadline. A put may have been kept; putting it again is fine. */
export class BlobsUnavailableError extends StoreError {
  readonly retryable = true;
  readonly place: string;

  constructor(options: { place: string; detail: string; cause?: unknown }) {
    super(UNAVAILABLE, `The payloads in ${options.place} are out of reach: ${options.detail}.`, options.cause);
    this.place = options.place;
  }

  static isInstance(error: unknown): error is BlobsUnavailableError {
    return hasErrorKind(error, UNAVAILABLE);
  }
}

/** The place of the payloads refused a call, and would refuse it again. */
export class BlobsRefusedError extends StoreError {
  readonly retryable = false;
  readonly place: string;
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;

  constructor(options: { place: string; call: string; status: number; code: string; requestId: string | undefined }) {
    const { place, call, status, code, requestId } = options;
    const said = [String(status), code, requestId === undefined ? '' : `request ${requestId}`].filter(
      (each) => each !== '',
    );
    super(REFUSED, `${place} refused ${call}: ${said.join(', ')}. Look at the bucket, its policy and the keys.`);
    this.place = place;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
  }

  static isInstance(error: unknown): error is BlobsRefusedError {
    return hasErrorKind(error, REFUSED);
  }
}

/** The place of the payloads cannot be used as it was given. */
export class BlobsPlaceError extends StoreError {
  readonly retryable = false;

  constructor({ place, reason }: { place: string; reason: string }) {
    super(PLACE, `LACHESIS_BLOBS is ${place}: ${reason}.`);
  }

  static isInstance(error: unknown): error is BlobsPlaceError {
    return hasErrorKind(error, PLACE);
  }
}
