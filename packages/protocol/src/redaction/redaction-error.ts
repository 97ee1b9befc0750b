const marker = Symbol.for('lachesis.protocol.redaction-error');

/** A rule that would take ordinary words out of every text. Never holds the value. */
export class RedactionError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is RedactionError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'RedactionError';
  readonly [marker] = true;
  readonly length: number;

  constructor({ length, shortest }: { length: number; shortest: number }) {
    super(
      `A secret of ${length} characters cannot be redacted: it would take parts out of ordinary words. ` +
        `Give one of at least ${shortest}, or leave it out of \`secrets\`.`,
    );
    this.length = length;
  }
}
