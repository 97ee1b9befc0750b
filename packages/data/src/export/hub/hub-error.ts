const marker = Symbol.for('lachesis.data.hub-error');

/** The hub refused, or could not be reached. Never holds the token. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly [marker] = true;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;

  constructor(options: { message: string; status?: number; cause?: unknown }) {
    super(options.message, options.cause === undefined ? {} : { cause: options.cause });
    this.status = options.status;
  }

  static isInstance(error: unknown): error is HubError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
