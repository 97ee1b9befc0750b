import type { TrainerItems } from '@lachesis/protocol';
import type { Drawn } from '../split.ts';

type ItemRate = TrainerItems['rates'][number];

/** Items that were answered rightly, and seldom. */
interface Replay {
  /** An item that came in order; it may come again if its success was a rare one. */
  see(drawn: Drawn<'train'>): void;
  /** One that is due again; undefined when the next in order is. */
  take(): Drawn<'train'> | undefined;
  /** How many were taken since the last call. */
  takeCount(): number;
}

/** Above it an item gives its successes in the order in which it comes. */
const RARE = 0.25;
/** What counts half each time is below it after four groups without a success: then it was luck. */
const LUCK = 0.01;
/** Of the last items that came: an environment may have millions. */
const MOST_SEEN = 10_000;

/**
 * Has a share of all groups go to items of a rare success, the one that waits longest first: what was right once in sixteen
 * replies is asked for again while the weights still remember it. The replies are new ones, so nothing is off-policy.
 */
export function createReplay(options: {
  /** Of all groups. */
  readonly share: number;
  readonly rateOf: (key: string) => ItemRate | undefined;
}): Replay {
  const { share, rateOf } = options;
  /** In the order of their turn. */
  const seen = new Map<string, Drawn<'train'>>();
  let owed = 0;
  let count = 0;

  const isRare = (key: string): boolean => {
    const { passed = 0, rollouts = 0 } = rateOf(key) ?? {};
    return rollouts > 0 && passed / rollouts >= LUCK && passed / rollouts <= RARE;
  };

  return {
    see(drawn) {
      if (share === 0) return;
      seen.delete(drawn.key);
      seen.set(drawn.key, drawn);
      const [oldest] = seen.keys();
      if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
    },
    take() {
      if (share === 0) return undefined;
      // What found nothing to take is not made up for all at once.
      owed = Math.min(1, owed + share);
      if (owed < 1) return undefined;
      const due = seen.entries().find(([key]) => isRare(key));
      if (due === undefined) return undefined;
      const [key, drawn] = due;
      owed -= 1;
      seen.delete(key);
      seen.set(key, drawn);
      count += 1;
      return drawn;
    },
    takeCount() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
