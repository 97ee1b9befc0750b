const marker = Symbol.for('lachesis.sdk.recorder-error');

/** Records could not be kept, or have not arrived yet. Never holds a record. */
export class RecorderError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is RecorderError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'RecorderError';
  readonly [marker] = true;
  readonly reason: string;

  constructor({ what, reason, hint, cause }: { what: string; reason: string; hint: string; cause?: unknown }) {
    super(`${what}: ${reason}. ${hint}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}
