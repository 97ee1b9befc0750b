import { TinkerProtocolError, TinkerTransportError } from '../errors/client-errors.ts';
import {
  TinkerAuthError,
  TinkerBillingError,
  TinkerConflictError,
  TinkerNotFoundError,
  TinkerPromiseExpiredError,
  TinkerRateLimitedError,
  TinkerValidationError,
} from '../errors/server-errors.ts';
import type { ConflictFacts, InvalidField } from '../errors/server-errors.ts';
import type { CallFacts, TinkerError } from '../errors/tinker-error.ts';
import { readRetryAfterMs } from './backoff.ts';
import type { Reply } from './reply.ts';

/** Longer explanations are cut: some servers repeat the request in them. */
const MAX_DETAIL_CHARACTERS = 400;

/** What an error body says: `{"detail": "text"}`, or a list of places as FastAPI writes it. */
export interface ErrorDetail {
  text: string | undefined;
  fields: InvalidField[];
}

export function readErrorDetail(reply: Reply, secrets: readonly string[]): ErrorDetail {
  const body = reply.tryJson();
  const detail = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)['detail'] : undefined;
  if (typeof detail === 'string') return { text: cleanText(detail, secrets), fields: [] };
  if (!Array.isArray(detail)) return { text: undefined, fields: [] };
  // `input` stays behind: it is the caller's own payload.
  const fields = (detail as unknown[]).map((entry) => {
    const { type, loc, msg } = (entry ?? {}) as Record<string, unknown>;
    const place = Array.isArray(loc) ? loc.filter((part) => part !== 'body').join('.') : '';
    return {
      field: cleanText(place, secrets),
      reason: cleanText(typeof msg === 'string' ? msg : 'is refused', secrets),
      isUnknown: type === 'extra_forbidden',
    };
  });
  return { text: undefined, fields };
}

/** Cuts the text and takes out everything that is or looks like a credential. */
export function cleanText(text: string, secrets: readonly string[]): string {
  let clean = text.length > 4 * MAX_DETAIL_CHARACTERS ? text.slice(0, 4 * MAX_DETAIL_CHARACTERS) : text;
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[credential]');
  clean = clean.replaceAll(/\btml-[\w-]{4,}|\beyJ[\w-]{8,}(?:\.[\w-]+)*/g, '[credential]');
  return clean.length > MAX_DETAIL_CHARACTERS ? `${clean.slice(0, MAX_DETAIL_CHARACTERS)}…` : clean;
}

export interface ErrorReplyOptions extends CallFacts {
  reply: Reply;
  secrets: readonly string[];
  wallClock: () => number;
}

/** Turns an answer outside 2xx into the error that names it. */
export function toReplyError({ reply, secrets, wallClock, ...call }: ErrorReplyOptions): TinkerError {
  const { status } = reply;
  const { text: detail, fields } = readErrorDetail(reply, secrets);
  const facts = { ...call, status, detail };
  if (status === 401 || status === 403) return new TinkerAuthError(facts);
  if (status === 402) return new TinkerBillingError(facts);
  if (status === 404 || status === 405) return new TinkerNotFoundError(facts);
  if (status === 409) return new TinkerConflictError({ ...facts, ...readConflict(detail) });
  if (status === 410) return new TinkerPromiseExpiredError(facts);
  if (status === 429) {
    return new TinkerRateLimitedError({ ...facts, retryAfterMs: readRetryAfterMs(reply.headers, wallClock) });
  }
  if (status === 408 || status >= 500) {
    // A 5xx may come from something between us and a server that did the work.
    const reason = detail ?? `the server answered ${status}`;
    return new TinkerTransportError({ ...call, status, reason, outcomeUnknown: true });
  }
  if (status >= 400) return new TinkerValidationError({ ...facts, fields });
  return new TinkerProtocolError({ ...call, status, reason: `status ${status} was not expected` });
}

/** TuFT: "Sequence conflict: expected 4, got 5." SkyRL: "Training request sequence number was reused". */
function readConflict(detail: string | undefined): Pick<ConflictFacts, 'conflict' | 'expected' | 'got'> {
  const numbers = /expected (?<expected>\d+), got (?<got>\d+)/.exec(detail ?? '')?.groups;
  if (numbers !== undefined) {
    return { conflict: 'sequence', expected: Number(numbers['expected']), got: Number(numbers['got']) };
  }
  if (/sequence (?:number|id)/i.test(detail ?? '')) return { conflict: 'sequence' };
  return { conflict: /\bexists?\b/i.test(detail ?? '') ? 'exists' : 'state' };
}
