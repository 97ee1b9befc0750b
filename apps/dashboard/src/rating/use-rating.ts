import type {
  Feedback,
  TrajectoryDetail,
  TrajectoryFilter,
  TrajectoryPage,
  TrajectorySummary,
} from '@lachesis/protocol';
import { useEffect, useState } from 'react';
import { isAway } from '../api/query-client.ts';
import { RequestError, requestJson, requestResponse, writeQuery } from '../api/request.ts';
import { createOutbox, type Outbox } from './create-outbox.ts';
import { createRating, type Rating } from './create-rating.ts';
import { findNamed, findPairs, findSingles, type ItemSource } from './find-items.ts';
import type { RatingMode } from './rate-keys.ts';
import { retryWhileAway } from './retry-while-away.ts';

const PAGE = 50;
/** Asked for at once from the queue: enough to load ahead, and little that others have to do without. */
const HANDED_OUT = 4;
/** A lease is good for two minutes. */
const RENEW_MS = 45_000;

const isServerAway = (error: unknown): boolean => error instanceof RequestError && isAway(error);

interface QueueReply {
  trajectories: TrajectorySummary[];
  lost: string[];
  next_cursor: string | null;
}

/** A place in the queue, another for each tab: two people never get the same. */
function createSeat(signal: AbortSignal) {
  const seat = crypto.randomUUID();
  const post = <T>(path: string, body: object): Promise<T> =>
    retryWhileAway(() => requestJson<T>(path, { method: 'POST', body: { seat, ...body }, signal }), {
      isAway: isServerAway,
      signal,
    });
  return {
    next: (cursor: string | undefined, holding: readonly string[]) =>
      post<QueueReply>('/v1/queue/next', { count: HANDED_OUT, cursor, holding: holding.slice(0, 100) }),
    renew: (holding: readonly string[]) =>
      post<QueueReply>('/v1/queue/next', { count: 0, holding: holding.slice(0, 100) }),
    release: (ids: readonly string[]) => post<unknown>('/v1/queue/release', { trajectories: ids }),
    /** What is held is given back at once, also when the tab is closed: nobody waits for the end of a lease. */
    async leave(holding: readonly string[]): Promise<void> {
      if (holding.length === 0) return;
      const body = { seat, trajectories: holding.slice(0, 100) };
      await requestResponse('/v1/queue/release', { method: 'POST', body, isLast: true });
    },
  };
}

/** One trajectory without its tokens; a server that is away is waited for. */
async function readTrajectory(id: string, signal: AbortSignal): Promise<TrajectoryDetail | undefined> {
  const path = `/v1/trajectories/${encodeURIComponent(id)}?tokens=none`;
  try {
    return await retryWhileAway(() => requestJson<TrajectoryDetail>(path, { signal }), {
      isAway: isServerAway,
      signal,
    });
  } catch (error) {
    if (error instanceof RequestError && error.status === 404) return undefined;
    throw error;
  }
}

/** Everything that was recorded, for pairs: two that were each rated may still be compared. */
async function listAll(cursor: string | undefined, signal: AbortSignal, filter: TrajectoryFilter = {}) {
  const path = `/v1/trajectories${writeQuery({ ...filter, cursor, limit: PAGE })}`;
  const page = await retryWhileAway(() => requestJson<TrajectoryPage>(path, { signal }), {
    isAway: isServerAway,
    signal,
  });
  return { rows: page.trajectories, next: page.next_cursor };
}

/** Whether no person has chosen between these two yet. */
async function isOpenPair([one, other]: readonly [string, string], signal: AbortSignal): Promise<boolean> {
  const said = await Promise.all(
    [one, other].map(async (id) => {
      const path = `/v1/feedback${writeQuery({ trajectory_id: id })}`;
      const { feedback } = await retryWhileAway(() => requestJson<{ feedback: Feedback[] }>(path, { signal }), {
        ...{ isAway: isServerAway, signal },
      });
      return feedback.map((each) => each.feedback);
    }),
  );
  return !said.flat().some((each) => each.kind === 'choice' && [one, other].includes(each.over.trajectory_id ?? ''));
}

/** The queue of this visit. It begins anew with another mode, another name, or another trajectory. */
export function useRating(
  mode: RatingMode,
  author: string,
  trajectory: string | undefined,
): { rating: Rating | undefined; outbox: Outbox | undefined } {
  const [state, setState] = useState<{ rating: Rating | undefined; outbox: Outbox | undefined; version: number }>({
    ...{ rating: undefined, outbox: undefined, version: 0 },
  });
  useEffect(() => {
    const onChange = (): void => setState((before) => ({ ...before, version: before.version + 1 }));
    const outbox = createOutbox({
      write: (body) => requestJson<Feedback>('/v1/feedback', { method: 'POST', body }),
      withdraw: async (id) =>
        void (await requestResponse(`/v1/feedback/${encodeURIComponent(id)}`, { method: 'DELETE' })),
      isAway: isServerAway,
      storage: localStorage,
      onChange,
    });
    const leaving = new AbortController();
    const { signal } = leaving;
    const seat = createSeat(signal);
    // The first items are asked for while the rating is being made.
    const held = (): string[] => begun?.held() ?? [];
    let begun: Rating | undefined;
    const read = (id: string) => readTrajectory(id, signal);
    const queue: ItemSource = {
      read,
      list: async (cursor) => {
        try {
          const { trajectories, next_cursor: next } = await seat.next(cursor, held());
          return { rows: trajectories, next };
        } catch (error) {
          // A page that is developed may stand before a server that has no queue yet.
          if (error instanceof RequestError && error.status === 404)
            return listAll(cursor, signal, { has_feedback: false });
          throw error;
        }
      },
    };
    const all: ItemSource = {
      read,
      list: (cursor) => listAll(cursor, signal),
      isOpen: (ids) => isOpenPair(ids, signal),
      async claim(ids) {
        const { lost } = await seat.renew([...held(), ...ids]);
        const own = ids.filter((id) => !lost.includes(id));
        if (own.length < ids.length && own.length > 0) await seat.release(own);
        return own.length === ids.length;
      },
    };
    // Who names a trajectory wants that one, whoever else looks at it.
    const isQueue = trajectory === undefined;
    const items = !isQueue ? findNamed(all, trajectory) : mode === 'pairs' ? findPairs(all) : findSingles(queue);
    // Neither is worth a word to the reader: a lease that ends or is kept too long costs somebody a second look.
    const rating = createRating({
      ...{ mode, author, items, say: outbox.say, takeBack: outbox.takeBack, onChange },
      giveBack: isQueue ? (id) => void seat.release([id]).catch(() => undefined) : undefined,
    });
    begun = rating;
    const renewing = setInterval(() => {
      if (isQueue && held().length > 0) void seat.renew(held()).catch(() => undefined);
    }, RENEW_MS);
    // Neither a server that is away nor a lease that ends by itself is worth a word.
    const leave = (): void => void (isQueue ? seat.leave(held()).catch(() => undefined) : undefined);
    addEventListener('pagehide', leave);
    setState({ rating, outbox, version: 0 });
    return () => {
      clearInterval(renewing);
      removeEventListener('pagehide', leave);
      leave();
      leaving.abort();
      rating.destroy();
      outbox.destroy();
    };
  }, [mode, author, trajectory]);
  return state;
}
