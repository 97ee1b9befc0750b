import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long enough that a turn is worth it, short enough that nobody notices. */
const TURN_MS = 8;

/** For long work on the event loop: awaited between two pieces, it lets others in when the last pieces took a while. */
export function createBreather(monotonic: () => number = () => performance.now()): () => Promise<void> {
  let since = monotonic();
  return async () => {
    if (monotonic() - since < TURN_MS) return;
    await nextTurn();
    since = monotonic();
  };
}
