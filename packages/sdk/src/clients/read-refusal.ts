import { errorBodySchema, ERROR_CODES } from '@lachesis/protocol';
import { ClientError } from './client-error.ts';

/** Refusals are a few hundred bytes; of a longer one, such as a proxy's page, the beginning is enough. */
const LONGEST_REASON = 300;

/** A longer wait than this is no hint for one call. */
const LONGEST_RETRY_AFTER_MS = 120_000;

/** Statuses after which the same call may succeed, for servers that do not speak our codes. */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504, 507, 529]);

/** Turns a reply with an error status into the error of a client. */
export async function readRefusal(response: Response, call: string): Promise<ClientError> {
  const { status } = response;
  const text = await response.text();
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
  const parsed = errorBodySchema.safeParse(parseJson(text));
  if (parsed.success) {
    const { code, message, hint, issues } = parsed.data.error;
    const { retryable } = ERROR_CODES[code];
    return new ClientError({ code, call, reason: message, status, retryable, hint, issues, retryAfterMs });
  }
  return new ClientError({
    code: 'http',
    call,
    reason: findReason(parseJson(text)) ?? (text === '' ? 'no reason was given' : text.slice(0, LONGEST_REASON)),
    status,
    retryable: RETRYABLE.has(status),
    retryAfterMs,
  });
}

/** OpenAI's, FastAPI's and SGLang's ways of saying why. */
function findReason(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, detail, message } = body as Record<string, unknown>;
  if (typeof error === 'object' && error !== null && 'message' in error) return shorten(error.message);
  return shorten(error) ?? shorten(detail) ?? shorten(message);
}

const shorten = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_REASON) : undefined;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not every refusal is JSON; its text is told as it is.
    return undefined;
  }
}

function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = Number(text) * 1000;
  return Number.isFinite(ms) && ms >= 0 && ms <= LONGEST_RETRY_AFTER_MS ? ms : undefined;
}
