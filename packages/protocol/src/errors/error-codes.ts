/** One code of the wire. */
export interface ErrorCodeFacts {
  /** The HTTP status it travels with. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

/** Every code an answer of ours can carry. Codes are public: add, do not rename. */
export const ERROR_CODES = Object.freeze({
  /** The request cannot be read: broken JSON, broken compression, a missing header. */
  'bad-request': { status: 400, retryable: false },
  /** No token, or one that is unknown, expired or revoked. */
  unauthorized: { status: 401, retryable: false },
  /** The token is good but lacks the scope. */
  forbidden: { status: 403, retryable: false },
  'not-found': { status: 404, retryable: false },
  /** The body came too slowly; what had arrived was dropped. */
  'too-slow': { status: 408, retryable: true },
  /** The state does not allow it, or an idempotency key came back with another body. */
  conflict: { status: 409, retryable: false },
  /** The lease ended or the batch went to somebody else; the epoch fences the late caller off. */
  'stale-lease': { status: 409, retryable: false },
  /** It was here and will not come back. */
  gone: { status: 410, retryable: false },
  /** Over a documented hard limit. */
  'too-large': { status: 413, retryable: false },
  /** A content type or encoding that is not understood. */
  'unsupported-encoding': { status: 415, retryable: false },
  /** Readable, but the content breaks a rule; `issues` name each place. */
  invalid: { status: 422, retryable: false },
  /** A bound is reached; come back after `Retry-After`. */
  'back-pressure': { status: 429, retryable: true },
  /** A fault of ours that has no better name. */
  internal: { status: 500, retryable: true },
  /** The database or a worker is away for a moment. */
  unavailable: { status: 503, retryable: true },
  /** Nothing more can be stored until there is room. */
  'disk-full': { status: 507, retryable: true },
} as const satisfies Record<string, ErrorCodeFacts>);

export type ErrorCode = keyof typeof ERROR_CODES;

/** Every code, for schemas. */
export const ERROR_CODE_NAMES = Object.freeze(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]);

export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === 'string' && Object.hasOwn(ERROR_CODES, value);
