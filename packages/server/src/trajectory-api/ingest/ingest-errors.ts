const workerMarker = Symbol.for('lachesis.trajectory-api.ingest-worker');
const brokenMarker = Symbol.for('lachesis.trajectory-api.broken-payloads');

/** A job got no answer: its worker died, took too long, or failed in a way nobody foresaw. Nothing was acknowledged. */
export class IngestWorkerError extends Error {
  readonly [workerMarker] = true;
  readonly reason: 'crashed' | 'timed-out' | 'failed' | 'closed';
  /** The place of the payloads was away. */
  readonly retryable: boolean;

  constructor(failure: {
    reason: IngestWorkerError['reason'];
    detail: string;
    isRetryable?: boolean;
    cause?: unknown;
  }) {
    const { reason, detail, isRetryable = false, cause } = failure;
    super(`An ingest worker ${reason === 'closed' ? 'was closed' : reason.replace('-', ' ')}: ${detail}`, { cause });
    this.name = 'IngestWorkerError';
    this.reason = reason;
    this.retryable = isRetryable;
  }

  static isInstance(error: unknown): error is IngestWorkerError {
    return typeof error === 'object' && error !== null && workerMarker in error;
  }
}

/** Payloads of a batch are gone or damaged; the others are fine. */
export class BrokenPayloadsError extends Error {
  readonly [brokenMarker] = true;
  readonly digests: readonly string[];

  constructor(digests: readonly string[]) {
    super(`${digests.length} payloads cannot be read, the first is ${digests[0]}. Quarantine their groups.`);
    this.name = 'BrokenPayloadsError';
    this.digests = digests;
  }

  static isInstance(error: unknown): error is BrokenPayloadsError {
    return typeof error === 'object' && error !== null && brokenMarker in error;
  }
}
