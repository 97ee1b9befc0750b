import { nameCall, TinkerError } from './tinker-error.ts';
import type { CallFacts } from './tinker-error.ts';

const isKind = (value: unknown, kind: TinkerError['kind']): boolean =>
  TinkerError.isInstance(value) && value.kind === kind;

export interface TimeoutFacts extends CallFacts {
  /** The time that was given. */
  timeoutMs: number;
  /** What was being waited for, such as `the result`. */
  waitingFor: string;
  /** The queue state the server last told. */
  queueState?: string | undefined;
  /** What the last poll was answered with. */
  lastPollStatus?: number | undefined;
  /** What the last attempt failed with. */
  lastFailure?: string | undefined;
}

/** The deadline of a call passed before the server answered. */
export class TinkerTimeoutError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerTimeoutError {
    return isKind(value, 'timeout');
  }

  override readonly name = 'TinkerTimeoutError';
  readonly timeoutMs: number;
  readonly waitingFor: string;
  readonly queueState: string | undefined;
  readonly lastPollStatus: number | undefined;
  readonly lastFailure: string | undefined;

  constructor({ timeoutMs, waitingFor, queueState, lastPollStatus, lastFailure, ...facts }: TimeoutFacts) {
    const known = [
      ...(queueState === undefined ? [] : [`queue state ${queueState}`]),
      ...(lastPollStatus === undefined ? [] : [`last poll HTTP ${lastPollStatus}`]),
      ...(lastFailure === undefined ? [] : [lastFailure]),
      ...(facts.outcomeUnknown === true ? ['the server may still carry it out'] : []),
    ];
    const tail = known.length === 0 ? '' : ` (${known.join(', ')})`;
    super({
      ...facts,
      kind: 'timeout',
      retryable: true,
      message: `${nameCall(facts)} waited ${timeoutMs} ms for ${waitingFor} in vain${tail}.`,
    });
    this.timeoutMs = timeoutMs;
    this.waitingFor = waitingFor;
    this.queueState = queueState;
    this.lastPollStatus = lastPollStatus;
    this.lastFailure = lastFailure;
  }
}

/** The server could not be reached, or answered 5xx, until the retries were used up. */
export class TinkerTransportError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerTransportError {
    return isKind(value, 'transport');
  }

  override readonly name = 'TinkerTransportError';
  /** What the attempt failed with. */
  readonly reason: string;
  /** The connection stood and nothing came, as when a server holds a long poll. */
  readonly wasSilent: boolean;

  constructor({
    reason,
    wasSilent = false,
    ...facts
  }: CallFacts & { reason: string; wasSilent?: boolean | undefined }) {
    super({
      ...facts,
      kind: 'transport',
      retryable: true,
      message: `${nameCall(facts)} did not get an answer: ${reason}`,
    });
    this.reason = reason;
    this.wasSilent = wasSilent;
  }
}

/** The server answered with something this client cannot read. */
export class TinkerProtocolError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerProtocolError {
    return isKind(value, 'protocol');
  }

  override readonly name = 'TinkerProtocolError';
  readonly reason: string;

  constructor({ reason, ...facts }: CallFacts & { reason: string }) {
    super({
      ...facts,
      kind: 'protocol',
      retryable: false,
      message: `The answer to ${nameCall(facts)} cannot be read: ${reason}`,
    });
    this.reason = reason;
  }
}

/** The caller's signal ended the wait. What was submitted keeps its place on the server. */
export class TinkerAbandonedError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerAbandonedError {
    return isKind(value, 'abandoned');
  }

  override readonly name = 'TinkerAbandonedError';

  constructor(facts: CallFacts) {
    super({
      ...facts,
      kind: 'abandoned',
      retryable: false,
      message: `${nameCall(facts)} was abandoned by its caller.`,
    });
  }
}

/** The client refuses further work: it was closed, its session ended, or the model's numbers are no longer finite. */
export class TinkerStoppedError extends TinkerError {
  static override isInstance(value: unknown): value is TinkerStoppedError {
    return isKind(value, 'stopped');
  }

  override readonly name = 'TinkerStoppedError';
  readonly reason: string;

  constructor({ reason, ...facts }: CallFacts & { reason: string }) {
    super({
      ...facts,
      kind: 'stopped',
      retryable: false,
      message: `${nameCall(facts)} was not carried out: ${reason}`,
    });
    this.reason = reason;
  }
}
