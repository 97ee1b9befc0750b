import { ClientError } from './client-error.ts';
import { createEventParser, type ServerEvent } from './event-parser.ts';
import { refuseClimbing } from './request.ts';
import { readRefusal } from './read-refusal.ts';
import type { RequestBase } from './request.ts';

export interface ReadEventsOptions extends RequestBase {
  /** From the server's root on, with its slash. */
  path: string;
  /** The id of the last event that was seen; the server goes on behind it. */
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How long the server may take to begin its answer; default 30 seconds. A quiet stream is no fault. */
  openTimeoutMs?: number | undefined;
}

const OPEN_TIMEOUT_MS = 30_000;
/** A line of a log may be long; one without an end is not a line. */
const LONGEST_EVENT_CHARACTERS = 16 * 1024 ** 2;

/**
 * Server-sent events of one answer, each as soon as it is whole. A reader that stops hangs up. It is not opened again when
 * it breaks off: the caller has the id of the last event, and knows whether it still wants more.
 */
export async function* readEvents(options: ReadEventsOptions): AsyncGenerator<ServerEvent> {
  const { signal } = options;
  const call = `GET ${options.path.split('?', 1)[0]}`;
  const ending = new AbortController();
  const both = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
  try {
    const response = await open(options, both, ending, call);
    if (!response.ok) throw await readRefusal(response, call);
    const events: ServerEvent[] = [];
    const parser = createEventParser({
      onEvent: (event) => void events.push(event),
      maxCharacters: LONGEST_EVENT_CHARACTERS,
      onOverlong() {
        throw new Error('an event is longer than any line');
      },
    });
    for await (const chunk of response.body ?? []) {
      parser.add(chunk);
      yield* events.splice(0);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (ClientError.isInstance(cause)) throw cause;
    throw new ClientError({ code: 'connection', call, reason: 'the stream broke off', retryable: true, cause });
  }
}

async function open(
  { url, token, path, lastEventId, fetch: send = globalThis.fetch, openTimeoutMs = OPEN_TIMEOUT_MS }: ReadEventsOptions,
  signal: AbortSignal,
  ending: AbortController,
  call: string,
): Promise<Response> {
  refuseClimbing(path, call);
  const timer = setTimeout(() => ending.abort(), openTimeoutMs);
  try {
    return await send(`${url.replace(/\/+$/, '')}${path}`, {
      method: 'GET',
      redirect: 'manual',
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
  } catch (cause) {
    const reason = ending.signal.aborted ? 'the server did not begin to answer' : 'the server does not answer';
    throw new ClientError({ code: 'connection', call, reason, retryable: true, cause });
  } finally {
    clearTimeout(timer);
  }
}
