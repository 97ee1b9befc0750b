const marker = Symbol.for('lachesis.sdk.environment-error');

/** What can go wrong around an environment, apart from single rollouts. Names are public: add, do not rename. */
export type EnvironmentErrorKind =
  /** The definition itself cannot be used. */
  | 'bad-definition'
  /** No inference server is configured. */
  | 'no-server'
  /** A server cannot be used for what is asked. */
  | 'bad-server'
  /** The server gives no token ids, and they are needed. */
  | 'no-tokens'
  /** There are no items. */
  | 'no-items'
  /** Rollouts failed until the run gave up. */
  | 'too-many-failures'
  /** A file or folder is in the way. */
  | 'bad-path';

export interface EnvironmentErrorOptions {
  kind: EnvironmentErrorKind;
  reason: string;
  hint?: string;
  cause?: unknown;
}

/** Thrown for what is wrong around an environment, apart from single rollouts; `kind` says what, `hint` what to do. */
export class EnvironmentError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is EnvironmentError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'EnvironmentError';
  readonly [marker] = true;
  readonly kind: EnvironmentErrorKind;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor({ kind, reason, hint, cause }: EnvironmentErrorOptions) {
    super(hint === undefined ? reason : `${reason} ${hint}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
    this.hint = hint;
  }
}
