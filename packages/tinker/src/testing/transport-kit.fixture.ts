import type { OnTinkerEvent } from '../events.ts';
import type { Clock } from '@lachesis/protocol';
import { fromFetch } from '../transport/http-client.ts';
import { Transport } from '../transport/transport.ts';

/** One answer of a scripted server: a status, or no answer at all. */
export type ScriptedAnswer = { status: number; json?: unknown; headers?: Record<string, string> } | { failure: string };

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** A clock on which waiting takes no time. */
export function manualClock(): ManualClock {
  let now = 0;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: (ms, signal) => {
      if (signal?.aborted !== true) now += ms;
      return Promise.resolve();
    },
  };
}

export interface RecordedCall {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

/** Answers calls one after another; a call beyond the script is a mistake of the test. */
export function scriptedFetch(
  answers: readonly ScriptedAnswer[],
  clock?: ManualClock,
): { fetch: typeof fetch; calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const scripted = (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const answer = answers[calls.length];
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : init.body;
    calls.push({
      url: url instanceof Request ? url.url : url.toString(),
      method: init.method ?? 'GET',
      headers: init.headers as Record<string, string>,
      body,
    });
    clock?.advance(1);
    if (answer === undefined) return Promise.reject(new Error(`call ${calls.length} was not expected`));
    if ('failure' in answer) {
      return Promise.reject(
        new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code: answer.failure }) }),
      );
    }
    const content = answer.json === undefined ? '' : JSON.stringify(answer.json);
    const empty = answer.status === 204 || answer.status === 304;
    return Promise.resolve(
      new Response(empty ? null : content, { status: answer.status, headers: answer.headers ?? {} }),
    );
  };
  return { fetch: scripted, calls };
}

export function testTransport(options: {
  fetch: typeof fetch;
  clock?: Clock;
  onEvent?: OnTinkerEvent;
  credential?: string;
}): Transport {
  let id = 0;
  return new Transport({
    baseUrl: 'http://test.invalid',
    sendHttp: fromFetch(options.fetch),
    credential: () => options.credential ?? 'tml-secret-key',
    clock: options.clock ?? manualClock(),
    wallClock: () => 0,
    random: () => 0.5,
    newId: () => `id-${(id += 1)}`,
    onEvent: options.onEvent ?? (() => undefined),
    extraHeaders: {},
    billingPauseMs: () => 20_000,
  });
}
