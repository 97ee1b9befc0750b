const marker = Symbol.for('lachesis.tinker.tinker-error');

/** What went wrong, as one word. */
export type TinkerErrorKind =
  | 'abandoned'
  | 'auth'
  | 'billing'
  | 'conflict'
  | 'job-failed'
  | 'not-found'
  | 'promise-expired'
  | 'protocol'
  | 'rate-limited'
  | 'stopped'
  | 'timeout'
  | 'transport'
  | 'validation';

/** Facts any failed call may have. None of them ever holds a credential or a payload. */
export interface CallFacts {
  /** The call that failed, such as `optim_step`. */
  operation?: string | undefined;
  /** The HTTP status, when the server answered. */
  status?: number | undefined;
  /** The server's name for the job, when it gave one. */
  requestId?: string | undefined;
  /** The server may have carried the call out, or may still do so. */
  outcomeUnknown?: boolean | undefined;
  cause?: unknown;
}

export interface TinkerErrorOptions extends CallFacts {
  kind: TinkerErrorKind;
  message: string;
  retryable: boolean;
}

/**
 * The base of every error of this package; recognise one by its `isInstance`. `kind` tells which one; the subclasses
 * hold its facts.
 */
export class TinkerError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is TinkerError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name: string = 'TinkerError';
  readonly [marker] = true;
  readonly kind: TinkerErrorKind;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly operation: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** The server may have carried the call out, or may still do so: sent again, it could happen twice. */
  readonly outcomeUnknown: boolean;

  constructor(options: TinkerErrorOptions) {
    const { kind, message, retryable, operation, status, requestId, outcomeUnknown = false, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.retryable = retryable;
    this.operation = operation;
    this.status = status;
    this.requestId = requestId;
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** Marks an error whose own facts do not tell that the server may have acted, because an earlier attempt may have arrived. */
export function noteUnknownOutcome<E extends TinkerError>(error: E): E {
  if (error.outcomeUnknown) return error;
  return Object.assign(error, {
    outcomeUnknown: true,
    message: `${error.message} The server may have carried it out.`,
  });
}

/** `optim_step (request r-1, HTTP 409)`, with what is known. */
export function nameCall({ operation = 'the call', requestId, status }: CallFacts): string {
  const facts = [
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(status === undefined ? [] : [`HTTP ${status}`]),
  ];
  return facts.length === 0 ? operation : `${operation} (${facts.join(', ')})`;
}
