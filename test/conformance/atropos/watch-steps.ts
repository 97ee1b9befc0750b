import { setTimeout as sleep } from 'node:timers/promises';

import { call } from './call.ts';

/** Several at once, so that a kill meets requests in every state between connecting and reading the reply. */
const WATCHERS = 4;
/** Several times as long as a server takes to come back; a request without an answer by then was forgotten. */
const HANGING_MS = 6_000;

export interface WatchedSteps {
  readonly last: number;
  readonly steppedBack: number;
  /** Requests that were neither answered nor cut off: a Python client would wait for minutes. */
  readonly hanging: number;
}

/** Reads `current_step` all the time and counts how often it is lower than a request before it had seen. */
export function watchSteps(url: string): { stop(): Promise<WatchedSteps> } {
  const ending = new AbortController();
  const watched = { last: 0, steppedBack: 0, hanging: 0 };
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const seenBefore = watched.last;
      const startedAt = performance.now();
      try {
        const { status, text } = await call(url, { method: 'GET', path: '/status', timeoutMs: HANGING_MS });
        if (status === 200) {
          const step = (JSON.parse(text) as { current_step: number }).current_step;
          if (step < seenBefore) watched.steppedBack += 1;
          watched.last = Math.max(watched.last, step);
        }
      } catch {
        // A request that meets the kill is cut off, which clients retry; only silence counts against the server.
        if (performance.now() - startedAt >= HANGING_MS) watched.hanging += 1;
      }
      await sleep(20);
    }
  };
  const watching = Promise.all(Array.from({ length: WATCHERS }, watch));
  return {
    async stop() {
      ending.abort();
      await watching;
      return watched;
    },
  };
}
