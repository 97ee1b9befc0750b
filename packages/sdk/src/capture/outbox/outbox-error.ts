const marker = Symbol.for('lachesis.sdk.outbox-error');

export interface OutboxErrorOptions {
  /** What could not be done, such as `append a record to`. */
  action: string;
  path: string;
  reason: string;
  hint: string;
  cause?: unknown;
}

/** A record could not be kept on disk. Never holds the record. */
export class OutboxError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is OutboxError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'OutboxError';
  readonly [marker] = true;
  readonly path: string;
  readonly reason: string;

  constructor({ action, path, reason, hint, cause }: OutboxErrorOptions) {
    super(`Cannot ${action} ${path}: ${reason}. ${hint}`, cause === undefined ? undefined : { cause });
    this.path = path;
    this.reason = reason;
  }
}
