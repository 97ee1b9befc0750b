const marker = Symbol.for('lachesis.sdk.sandbox-error');

/** What can go wrong with a sandbox itself. A command that fails is a result and not an error. Names are public: add, do not rename. */
export type SandboxErrorKind =
  /** The backend cannot run on this machine. */
  | 'unavailable'
  /** It could not be started, or stopped answering. */
  | 'failed'
  /** It was destroyed, by us or because its lifetime is over. */
  | 'destroyed'
  | 'bad-options'
  | 'not-found'
  /** The path is no regular file, or no folder where one is needed. */
  | 'bad-path'
  /** The path leads out of the sandbox. */
  | 'outside'
  | 'too-large'
  | 'disk-full';

export interface SandboxErrorOptions {
  readonly kind: SandboxErrorKind;
  /** What happened, with which thing. */
  readonly reason: string;
  /** What to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Thrown when a sandbox cannot do what was asked, such as for a path outside it; a command that fails is a result. */
export class SandboxError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is SandboxError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'SandboxError';
  readonly [marker] = true;
  readonly kind: SandboxErrorKind;
  readonly reason: string;
  readonly hint: string | undefined;

  constructor({ kind, reason, hint, cause }: SandboxErrorOptions) {
    super(hint === undefined ? reason : `${reason} ${hint}`, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
    this.hint = hint;
  }
}
