import { createRandom } from '../bodies/random.ts';
import type { Burst } from './options.ts';

/**
 * When each push is due, in seconds from the start: evenly spaced at the rate of the moment, each shifted by up to half a
 * space so that pushes neither march in step nor come in an order a server could learn.
 */
export function* schedulePushes(options: { seconds: number; rate: number; burst: Burst }): Generator<number> {
  const { seconds, rate, burst } = options;
  const random = createRandom(1);
  let at = 0;
  while (at < seconds) {
    const space = 1 / (isInBurst(at, burst) ? rate * burst.factor : rate);
    yield at + random() * space * 0.5;
    at += space;
  }
}

/** A burst ends each period, so that the first seconds are ordinary. */
function isInBurst(atSeconds: number, { everySeconds, lastsSeconds }: Burst): boolean {
  return atSeconds % everySeconds >= everySeconds - lastsSeconds;
}
