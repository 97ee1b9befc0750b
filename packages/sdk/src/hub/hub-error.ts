const marker = Symbol.for('lachesis.sdk.hub-error');

/** What can go wrong between a name on a hub and a file on this machine. Names are public: add, do not rename. */
export type HubErrorKind =
  /** The hub wants a token, or a better one. */
  | 'no-access'
  /** There is no such repository, revision or file. */
  | 'not-found'
  /** No answer, or too many failures in a row. */
  | 'unreachable'
  /** The bytes are not those that the hub announced. */
  | 'broken-file'
  /** The hub does not take it, or it must not go there. */
  | 'refused'
  /** Nothing may be fetched, and the cache does not have it. */
  | 'offline';

/** A file of a hub could not be had, or could not be brought there. Never holds the token. */
export class HubError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is HubError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'HubError';
  readonly [marker] = true;
  readonly kind: HubErrorKind;
  readonly repository: string;
  /** Of the hub's answer, where it is known. */
  readonly status: number | undefined;

  constructor(options: {
    kind: HubErrorKind;
    repository: string;
    reason: string;
    hint: string;
    status?: number | undefined;
    cause?: unknown;
  }) {
    super(`${options.reason} ${options.hint}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = options.kind;
    this.repository = options.repository;
    this.status = options.status;
  }
}
