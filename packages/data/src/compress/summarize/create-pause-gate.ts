import { type Clock, realClock } from '@lachesis/protocol';

/** One wait for all: when a server asks one caller to come back later, nobody asks it before then. */
export interface PauseGate {
  /** Resolves when nobody has to wait, or when the signal is aborted. */
  wait(signal?: AbortSignal): Promise<void>;
  /** Holds everybody for so long from now; never shortens a pause. */
  pause(ms: number): void;
}

export function createPauseGate({ clock = realClock }: { clock?: Clock } = {}): PauseGate {
  let until = Number.NEGATIVE_INFINITY;
  return {
    async wait(signal) {
      for (;;) {
        // A pause may be made longer while we wait for its end.
        const left = until - clock.now();
        if (left <= 0 || signal?.aborted === true) return;
        await clock.sleep(left, signal);
      }
    },
    pause(ms) {
      until = Math.max(until, clock.now() + ms);
    },
  };
}
