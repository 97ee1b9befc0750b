import { isRecord } from '@lachesis/protocol';
import type { CallError } from './collected-reply.ts';

/** Long enough for every sentence, and for a page of HTML that a proxy sends in its place. */
export const MAX_ERROR_MESSAGE = 2_000;

/** What an upstream says went wrong, wherever it puts it. */
export function describeUpstreamError(error: unknown, status: number | null = null): CallError {
  const { message, code, status: own } = isRecord(error) ? error : { message: error };
  const said = status ?? [own, code].find((each) => Number.isSafeInteger(each));
  const text = typeof message === 'string' && message !== '' ? message : (JSON.stringify(error) ?? 'no message');
  return { message: text.slice(0, MAX_ERROR_MESSAGE), status: typeof said === 'number' ? said : null };
}
