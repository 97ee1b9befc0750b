import { PackedGroupError } from '../codec/packed-group-error.ts';
import type { ErrorBody, Issue } from '../trajectory-api/error-body.ts';
import { ERROR_CODES } from './error-codes.ts';
import type { ErrorCode } from './error-codes.ts';

const marker = Symbol.for('lachesis.protocol.lachesis-error');

export interface LachesisErrorOptions {
  code: ErrorCode;
  /** What happened, with which thing. Travels to the client. */
  message: string;
  /** What the caller can do next. Travels to the client. */
  hint?: string;
  /** Places in the request that are wrong. Travel to the client. */
  issues?: readonly Issue[];
  /** When to try again; travels as the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** Stays here. */
  cause?: unknown;
}

/** An error that crosses the wire, with a code, a message, and a hint what to do. */
export class LachesisError extends Error {
  /** Recognises the error across copies of this package. */
  static isInstance(value: unknown): value is LachesisError {
    return typeof value === 'object' && value !== null && marker in value;
  }

  override readonly name = 'LachesisError';
  readonly [marker] = true;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ code, message, hint, issues, retryAfterSeconds, cause }: LachesisErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
    this.issues = issues;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The HTTP status of the code. */
  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** Whether the same request may succeed later. */
  get isRetryable(): boolean {
    return ERROR_CODES[this.code].retryable;
  }

  /** What the client gets to see: neither cause nor stack. */
  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.hint === undefined ? {} : { hint: this.hint }),
        ...(this.issues === undefined ? {} : { issues: [...this.issues] }),
      },
    };
  }
}

/**
 * Turns whatever was thrown into an error that may cross the wire: ours stays, an unreadable packed group is the
 * sender's fault, anything else is `internal` with its cause kept here and its text kept from the client.
 */
export function toLachesisError(thrown: unknown): LachesisError {
  if (LachesisError.isInstance(thrown)) return thrown;
  if (PackedGroupError.isInstance(thrown)) {
    const issues = [{ sequence: null, field: thrown.section, message: thrown.reason }];
    return new LachesisError({ code: 'invalid', message: thrown.message, issues, cause: thrown });
  }
  const error = new LachesisError({
    code: 'internal',
    message: 'The server failed to handle the request.',
    cause: thrown,
  });
  if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack;
  return error;
}
