import { type Clock, realClock } from '@lachesis/protocol';

/** What workers of several processes share: the row of requests. */
export interface SharedRequests {
  /** Takes so many places; answers in how many milliseconds the first may be sent. */
  reserve(count: number, intervalMs: number): Promise<number>;
  pause(ms: number): Promise<void>;
  readPause(): Promise<number>;
}

export interface RequestGateOptions {
  shared: SharedRequests;
  requestsPerMinute?: number | undefined;
  clock?: Clock;
}

/** Every request of a job goes through it: at most so many a minute, and none while the server wants rest. */
export interface RequestGate {
  /** Resolves when a request may be sent, or when the signal is aborted: callers look at the signal. */
  enter(signal: AbortSignal): Promise<void>;
  /** Nobody sends for so long. */
  pause(ms: number): Promise<void>;
  /** Learns of a rest that another process was asked for. */
  refresh(): Promise<void>;
}

export function createRequestGate({ shared, requestsPerMinute, clock = realClock }: RequestGateOptions): RequestGate {
  let notBefore = 0;
  const intervalMs = requestsPerMinute === undefined ? 0 : 60_000 / requestsPerMinute;
  // About a second's worth: few questions to the store, and a process that dies wastes no more than that.
  const block = requestsPerMinute === undefined ? 0 : Math.max(1, Math.floor(requestsPerMinute / 60));
  const places: number[] = [];
  let reserving: Promise<void> | undefined;

  const reserve = async (): Promise<void> => {
    const wait = await shared.reserve(block, intervalMs);
    const first = clock.now() + wait;
    for (let at = 0; at < block; at += 1) places.push(first + at * intervalMs);
  };
  const takePlace = async (): Promise<number> => {
    for (;;) {
      const place = places.shift();
      if (place !== undefined) return place;
      reserving ??= reserve().finally(() => (reserving = undefined));
      await reserving;
    }
  };
  return {
    async enter(signal) {
      const place = requestsPerMinute === undefined ? 0 : await takePlace();
      // Looked at again after each rest: the server may ask for another one meanwhile.
      for (let wait = Math.max(place, notBefore) - clock.now(); wait > 0; wait = notBefore - clock.now()) {
        await clock.sleep(wait, signal);
        if (signal.aborted) return;
      }
    },
    async pause(ms) {
      notBefore = Math.max(notBefore, clock.now() + ms);
      await shared.pause(ms);
    },
    async refresh() {
      // With a rate the places that are taken already say when.
      if (requestsPerMinute !== undefined) return;
      const ms = await shared.readPause();
      if (ms > 0) notBefore = Math.max(notBefore, clock.now() + ms);
    },
  };
}
