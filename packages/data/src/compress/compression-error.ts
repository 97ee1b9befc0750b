const marker = Symbol.for('lachesis.data.compression-error');

export type CompressionErrorKind =
  | 'bad-settings'
  | 'bad-input'
  | 'bad-output'
  /** Another process writes to the same place. */
  | 'in-use'
  /** The summariser refuses every call: a wrong key, an unknown model. */
  | 'summarizer-refused'
  /** No summary could be had for one row. */
  | 'no-summary';

export interface CompressionErrorOptions {
  readonly kind: CompressionErrorKind;
  /** What happened, and with which thing. */
  readonly reason: string;
  /** What to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** What stops a compression, or one row of it. Never holds a key or the text of a row. */
export class CompressionError extends Error {
  static isInstance(value: unknown): value is CompressionError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'CompressionError';
  readonly [marker] = true;
  readonly kind: CompressionErrorKind;
  readonly reason: string;

  constructor({ kind, reason, hint, cause }: CompressionErrorOptions) {
    super(hint === undefined ? reason : `${reason} ${hint}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
  }
}
