import { LachesisError } from '@lachesis/protocol';
import type { CallError } from './call-recorder.ts';
import { isFields } from './to-recorded-message.ts';

/** Long enough for every sentence, and for a page of HTML that a proxy sends in its place. */
const MAX_MESSAGE = 2_000;

/** What an upstream says went wrong, wherever it puts it. */
export function describeUpstreamError(error: unknown, status: number | null = null): CallError {
  const { message, code, status: own } = isFields(error) ? error : { message: error };
  const said = status ?? [own, code].find((each) => Number.isSafeInteger(each));
  const text = typeof message === 'string' && message !== '' ? message : (JSON.stringify(error) ?? 'no message');
  return { message: text.slice(0, MAX_MESSAGE), status: typeof said === 'number' ? said : null };
}

/** What we answer a call with that has failed here. */
export function describeThrown(thrown: unknown): CallError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { message: message.slice(0, MAX_MESSAGE), status: LachesisError.isInstance(thrown) ? thrown.status : 500 };
}
