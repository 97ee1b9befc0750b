import type { toIssues, ErrorCode } from '@lachesis/protocol';

type Issue = ReturnType<typeof toIssues>[number];

const marker = Symbol.for('lachesis.sdk.client-error');

/**
 * What went wrong, as one word: a code of our wire, or what a client sees before there is an answer. `http` is a refusal
 * of a server that does not speak our error bodies; its status says more.
 */
export type ClientErrorCode = ErrorCode | 'connection' | 'timeout' | 'unreadable-reply' | 'http';

export interface ClientErrorOptions {
  code: ClientErrorCode;
  /** The call, such as `POST http://127.0.0.1:8000/v1/groups`. */
  call: string;
  /** What happened. */
  reason: string;
  /** The HTTP status, when the server answered. */
  status?: number | undefined;
  /** Whether the same call may succeed later. */
  retryable: boolean;
  /** What to do next, as the server said. */
  hint?: string | undefined;
  /** The places in the request that are wrong. */
  issues?: readonly Issue[] | undefined;
  /** When the server wants to be asked again. */
  retryAfterMs?: number | undefined;
  /** How often it was tried. */
  attempts?: number | undefined;
  cause?: unknown;
}

/** Every failed call of a client of this package. Never holds a credential or a body. */
export class ClientError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is ClientError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'ClientError';
  readonly [marker] = true;
  readonly code: ClientErrorCode;
  readonly call: string;
  readonly reason: string;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;

  constructor(options: ClientErrorOptions) {
    super(describe(options), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.call = options.call;
    this.reason = options.reason;
    this.status = options.status;
    this.retryable = options.retryable;
    this.hint = options.hint;
    this.issues = options.issues;
    this.retryAfterMs = options.retryAfterMs;
    this.attempts = options.attempts ?? 1;
  }
}

function describe({ call, reason, status, hint, issues = [], attempts = 1 }: ClientErrorOptions): string {
  const answer = status === undefined ? 'failed' : `was answered with ${status}`;
  const tries = attempts > 1 ? ` after ${attempts} tries` : '';
  const places = issues.slice(0, 3).map(({ sequence, field, message }) => {
    const place = sequence === null ? field : `${field} of sequence ${sequence}`;
    return `${place} ${message}`;
  });
  const details = places.length === 0 ? '' : ` (${places.join('; ')})`;
  return `${call} ${answer}${tries}: ${reason}${details}${hint === undefined ? '' : `. ${hint}`}`;
}
