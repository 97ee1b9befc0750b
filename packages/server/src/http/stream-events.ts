import type { FastifyReply } from 'fastify';
import type { RouteCall } from './route.ts';

/** A reader that takes nothing is cut off and comes back with Last-Event-ID; it must not fill our memory. */
const MOST_UNSENT_BYTES = 1024 ** 2;
const KEEP_ALIVE_MS = 15_000;
/** A reader that takes nothing is waited for this long. */
const STUCK_MS = 15_000;

export interface SentEvent {
  id?: number | string;
  event: string;
  data: unknown;
}

/** Events as they stand on the wire: what many are told is written once. */
export const encodeEvents = (events: readonly SentEvent[]): Buffer =>
  Buffer.from(
    events
      .map(
        ({ id, event, data }) =>
          `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
      )
      .join(''),
  );

export interface EventStream {
  readonly signal: AbortSignal;
  /** Resolves when the reader has room for more: what is sent faster than it is read stays where it was read from. */
  send(event: SentEvent): Promise<void>;
  /** The same of what `encodeEvents` gave. */
  sendEncoded(events: Buffer): Promise<void>;
  /** Waits until there may be more, and lets the reader know that we are still there. */
  pause(): Promise<void>;
}

export interface StreamEventsOptions {
  monotonic: () => number;
  stuckMs?: number;
  /** Resolves when there may be more to send, or at the signal. */
  wait: (signal: AbortSignal) => Promise<void>;
  follow: (stream: EventStream) => Promise<void>;
}

/**
 * Turns a reply into a stream of server-sent events. From here on errors cannot be answered: what can be refused comes
 * before. A stream that fails is cut off, so that its reader comes back instead of taking the silence for an idle run.
 */
export async function streamEvents(call: RouteCall, options: StreamEventsOptions): Promise<FastifyReply> {
  const stream = openEventStream(call, options);
  try {
    await options.follow(stream);
    call.reply.raw.end();
  } catch (error) {
    call.reply.raw.destroy();
    throw error;
  }
  return call.reply;
}

function openEventStream(
  { reply }: RouteCall,
  { monotonic, wait, stuckMs = STUCK_MS }: StreamEventsOptions,
): EventStream {
  reply.hijack();
  const { raw } = reply;
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
  raw.flushHeaders();
  let saidAt = monotonic();
  const write = (text: string | Buffer): void => {
    if (gone.signal.aborted) return;
    raw.write(text);
    saidAt = monotonic();
    if (raw.writableLength > MOST_UNSENT_BYTES) raw.destroy();
  };
  return {
    signal: gone.signal,
    send(event) {
      return this.sendEncoded(encodeEvents([event]));
    },
    async sendEncoded(events) {
      write(events);
      if (!raw.writableNeedDrain || gone.signal.aborted) return;
      await new Promise<void>((resolve) => {
        const stuck = setTimeout(() => raw.destroy(), stuckMs);
        const done = (): void => {
          clearTimeout(stuck);
          raw.off('drain', done).off('close', done);
          resolve();
        };
        raw.once('drain', done).once('close', done);
      });
    },
    async pause() {
      if (monotonic() - saidAt > KEEP_ALIVE_MS) write(': still here\n\n');
      await wait(gone.signal);
    },
  };
}
