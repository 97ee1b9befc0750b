import { nameCall, TinkerError } from './tinker-error.ts';
import type { CallFacts } from './tinker-error.ts';

const isKind = (value: unknown, kind: TinkerError['kind']): boolean =>
  TinkerError.isInstance(value) && value.kind === kind;

const withDetail = (sentence: string, detail: string | undefined): string =>
  detail === undefined || detail === '' ? `${sentence}.` : `${sentence}: ${detail}`;

/** What the server said, already cut and cleaned of credentials. */
interface Detailed extends CallFacts {
  detail?: string | undefined;
}

/** The server does not accept the credential. */
export class TinkerAuthError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerAuthError {
    return isKind(value, 'auth');
  }

  override readonly name = 'TinkerAuthError';

  constructor({ detail, ...facts }: Detailed) {
    const sentence = `${nameCall(facts)} was refused for its credential; give apiKey or TINKER_API_KEY`;
    super({ ...facts, kind: 'auth', retryable: false, message: withDetail(sentence, detail) });
  }
}

/** The account cannot pay for the call, and the pause that was allowed for it is over. */
export class TinkerBillingError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerBillingError {
    return isKind(value, 'billing');
  }

  override readonly name = 'TinkerBillingError';

  constructor({ detail, ...facts }: Detailed) {
    const sentence = `${nameCall(facts)} waits for the account's billing`;
    super({ ...facts, kind: 'billing', retryable: true, message: withDetail(sentence, detail) });
  }
}

/** The server asked to slow down for longer than the caller was willing to wait. */
export class TinkerRateLimitedError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerRateLimitedError {
    return isKind(value, 'rate-limited');
  }

  override readonly name = 'TinkerRateLimitedError';
  readonly retryAfterMs: number | undefined;

  constructor({ detail, retryAfterMs, ...facts }: Detailed & { retryAfterMs?: number | undefined }) {
    const sentence = `${nameCall(facts)} was held back by the server`;
    super({ ...facts, kind: 'rate-limited', retryable: true, message: withDetail(sentence, detail) });
    this.retryAfterMs = retryAfterMs;
  }
}

export interface ConflictFacts extends Detailed {
  /** `sequence`: not the number the server waits for. `exists`: the name is taken. `state`: anything else in the way. */
  conflict: 'exists' | 'sequence' | 'state';
  /** The number the server waits for, when it says so. */
  expected?: number | undefined;
  /** The number that was sent, when the server repeats it. */
  got?: number | undefined;
  /** The server had carried the operation out although its reply was lost: do not send it again. */
  tookEffect?: boolean | undefined;
}

const CONFLICT_SENTENCES = Object.freeze({
  exists: 'names something that exists',
  sequence: 'has a sequence number out of turn',
  state: 'does not fit the state of the server',
});

/** The state of the server does not fit the request. */
export class TinkerConflictError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerConflictError {
    return isKind(value, 'conflict');
  }

  override readonly name = 'TinkerConflictError';
  readonly conflict: 'exists' | 'sequence' | 'state';
  readonly expected: number | undefined;
  readonly got: number | undefined;
  readonly tookEffect: boolean;

  constructor({ detail, conflict, expected, got, tookEffect = false, ...facts }: ConflictFacts) {
    const what = CONFLICT_SENTENCES[conflict];
    const effect = tookEffect ? '; the server had carried it out before its reply was lost' : '';
    super({
      ...facts,
      kind: 'conflict',
      retryable: conflict === 'sequence' && !tookEffect,
      message: withDetail(`${nameCall(facts)} ${what}${effect}`, detail),
    });
    this.conflict = conflict;
    this.expected = expected;
    this.got = got;
    this.tookEffect = tookEffect;
  }
}

/** One place of a request that breaks a rule. */
export interface InvalidField {
  /** Where, such as `datums[3].inputs.advantages`. */
  field: string;
  /** What is wrong there. */
  reason: string;
  /** The server does not know the field at all, so it may be left out. */
  isUnknown?: boolean;
}

/** The request breaks a rule: of the server, or of this client, which then sent nothing. */
export class TinkerValidationError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerValidationError {
    return isKind(value, 'validation');
  }

  override readonly name = 'TinkerValidationError';
  readonly fields: readonly InvalidField[];

  constructor({ detail, fields, ...facts }: Detailed & { fields: readonly InvalidField[] }) {
    const named = fields.slice(0, 5).map(({ field, reason }) => `${field} ${reason}`);
    const more = fields.length > 5 ? [`and ${fields.length - 5} more`] : [];
    const reason = named.length === 0 ? detail : [...named, ...more].join('; ');
    super({
      ...facts,
      kind: 'validation',
      retryable: false,
      message: withDetail(`${nameCall(facts)} is not valid`, reason),
    });
    this.fields = fields;
  }
}

/** The server does not know the address or the thing it names. */
export class TinkerNotFoundError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerNotFoundError {
    return isKind(value, 'not-found');
  }

  override readonly name = 'TinkerNotFoundError';

  constructor({ detail, ...facts }: Detailed) {
    super({
      ...facts,
      kind: 'not-found',
      retryable: false,
      message: withDetail(`${nameCall(facts)} names something the server does not have`, detail),
    });
  }
}

/** Whose fault a failed job is, as the server sees it. */
export type JobFailureCategory = 'server' | 'unknown' | 'user';

/** The server took the job and failed at it for good. */
export class TinkerJobFailedError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerJobFailedError {
    return isKind(value, 'job-failed');
  }

  override readonly name = 'TinkerJobFailedError';
  readonly category: JobFailureCategory;

  constructor({ detail, category, ...facts }: Detailed & { category: JobFailureCategory }) {
    super({
      ...facts,
      kind: 'job-failed',
      retryable: category === 'server',
      message: withDetail(`${nameCall(facts)} failed on the server (${category})`, detail),
    });
    this.category = category;
  }
}

/** The server no longer has the result; the original request can be sent again. */
export class TinkerPromiseExpiredError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerPromiseExpiredError {
    return isKind(value, 'promise-expired');
  }

  override readonly name = 'TinkerPromiseExpiredError';

  constructor({ detail, ...facts }: Detailed) {
    super({
      ...facts,
      kind: 'promise-expired',
      retryable: true,
      message: withDetail(`The server no longer has the result of ${nameCall(facts)}`, detail),
    });
  }
}
