const marker = Symbol.for('lachesis.sdk.toolset-error');

export interface ToolsetErrorOptions {
  kind: 'unknown-toolset' | 'unknown-distribution' | 'bad-distribution';
  /** The toolset or distribution that was asked for. */
  subject: string;
  /** What is wrong with it. */
  reason: string;
  /** What can be asked for instead. */
  known: readonly string[];
}

/** Tools that were asked for and cannot be given. */
export class ToolsetError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is ToolsetError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'ToolsetError';
  readonly [marker] = true;
  readonly kind: ToolsetErrorOptions['kind'];
  readonly subject: string;
  readonly reason: string;
  readonly known: readonly string[];

  constructor({ kind, subject, reason, known }: ToolsetErrorOptions) {
    super(`${reason} There ${known.length === 0 ? 'is nothing else' : `are: ${known.join(', ')}`}.`);
    this.kind = kind;
    this.subject = subject;
    this.reason = reason;
    this.known = known;
  }
}
