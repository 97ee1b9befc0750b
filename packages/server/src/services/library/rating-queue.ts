import type { ratingQueueSchemas, TrajectoryFilter, TrajectorySummary } from '@lachesis/protocol';
import {
  acquireLease,
  countTrajectories,
  listLeases,
  listTrajectories,
  releaseLease,
  tidyLeases,
  type Store,
} from '@lachesis/store';
import type { z } from 'zod';

export interface QueueScope {
  store: Store;
  tenantId: string;
}

type QueueRequest = z.output<(typeof ratingQueueSchemas)['request']>;
type QueueReply = z.infer<(typeof ratingQueueSchemas)['reply']>;

/** A rating takes seconds; who reads a long one holds it, and who went away is not waited for. */
const LEASE_SECONDS = 120;
/** More than any room of raters holds: those are passed over in one page. */
const PAGE = 100;
const MOST_COUNTED = 10_000;

const KIND = 'rating';

/**
 * The next trajectories to rate, leased to one seat. If we die after a lease nobody is shown its trajectory until it has run out; a
 * rating is written by whoever gives it, leased or not.
 */
export async function handOutRatings(scope: QueueScope, request: QueueRequest): Promise<QueueReply> {
  const { seat, count, all } = request;
  const filter: TrajectoryFilter = { ...request.filter, ...(all ? {} : { is_rated: false }) };
  const hold = async (resource: string): Promise<boolean> =>
    !('heldBy' in (await acquireLease({ ...scope, kind: KIND, resource, holder: seat, seconds: LEASE_SECONDS })));
  await tidyLeases({ ...scope, kind: KIND });
  const lost: string[] = [];
  for (const trajectoryId of new Set(request.holding)) if (!(await hold(trajectoryId))) lost.push(trajectoryId);
  const held = new Set(request.holding);
  const taken: TrajectorySummary[] = [];
  let cursor = request.cursor ?? null;
  for (let isFirst = true; taken.length < count && (isFirst || cursor !== null); isFirst = false) {
    const others = new Set(
      (await listLeases({ ...scope, kind: KIND }))
        .filter(({ holder }) => holder !== seat)
        .map((lease) => lease.resource),
    );
    const page = await listTrajectories({ ...scope, filter, limit: PAGE, cursor: cursor ?? undefined });
    let seen = 0;
    for (const each of page.trajectories) {
      if (taken.length === count) break;
      seen += 1;
      const { trajectory_id: id } = each;
      if (!others.has(id) && !held.has(id) && (await hold(id))) taken.push(each);
    }
    // What was not looked at is for the next call: behind the last that was.
    cursor =
      seen === page.trajectories.length
        ? page.next_cursor
        : (await listTrajectories({ ...scope, filter, limit: seen, cursor: cursor ?? undefined })).next_cursor;
  }
  return {
    ...{ trajectories: taken, lost, lease_seconds: LEASE_SECONDS, next_cursor: cursor },
    remaining: await countTrajectories({ ...scope, filter, most: MOST_COUNTED }),
  };
}

/** Gives back what a seat will not rate. */
export async function releaseRatings(
  scope: QueueScope,
  { seat, trajectories }: z.output<(typeof ratingQueueSchemas)['release']>,
): Promise<{ released: number }> {
  const own = (await listLeases({ ...scope, kind: KIND })).filter(({ holder }) => holder === seat);
  let released = 0;
  for (const { resource, epoch } of own) {
    if (!trajectories.includes(resource)) continue;
    const lease = { tenantId: scope.tenantId, kind: KIND, resource, holder: seat, epoch } as const;
    if (await releaseLease({ ...scope, lease })) released += 1;
  }
  return { released };
}
