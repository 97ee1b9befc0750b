import type { TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import type { LibraryClient } from '@lachesis/sdk';
import { randomUUID } from 'node:crypto';

/** What there is to rate, for this terminal alone while it is looked at. */
export interface RatingQueue extends AsyncDisposable {
  readonly trajectories: AsyncIterable<TrajectorySummary>;
  /** How many there were at the beginning; undefined while that is not known. */
  total(): number | undefined;
}

/** One is looked at, one is read while it is, and one may be gone back to. */
const AT_ONCE = 3;
/** As many as are held at most; who goes back further finds what others may have rated meanwhile. */
const MOST_HELD = 100;

/** Opens the queue that all raters share. What was not rated is given back at the end. */
export function openRatingQueue(options: {
  library: Pick<LibraryClient, 'nextToRate' | 'releaseRatings'>;
  filter: TrajectoryFilter;
  limit: number;
  seat?: string;
}): RatingQueue {
  const { library, filter, limit, seat = `terminal-${randomUUID()}` } = options;
  let given: string[] = [];
  let total: number | undefined;

  async function* walk(): AsyncGenerator<TrajectorySummary> {
    let count = 0;
    for (let cursor: string | undefined; count < limit;) {
      const handed = await library.nextToRate({
        ...{ seat, filter, count: Math.min(AT_ONCE, limit - count), holding: given.slice(-AT_ONCE) },
        ...(cursor === undefined ? {} : { cursor }),
      });
      total ??= handed.remaining === null ? undefined : Math.min(limit, handed.remaining);
      for (const each of handed.trajectories) {
        given = [...given, each.trajectory_id].slice(-MOST_HELD);
        count += 1;
        yield each;
      }
      if (handed.next_cursor === null) return;
      cursor = handed.next_cursor;
    }
  }

  return {
    trajectories: walk(),
    total: () => total,
    async [Symbol.asyncDispose]() {
      // A server that is away lets go of it by itself, when the leases end.
      if (given.length > 0) await library.releaseRatings({ seat, trajectories: given }).catch(() => undefined);
    },
  };
}
