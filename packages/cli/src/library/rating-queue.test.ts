import type { LibraryClient } from '@lachesis/sdk';
import { expect, test } from 'vitest';
import { openRatingQueue } from './rating-queue.ts';

type Handed = Awaited<ReturnType<LibraryClient['nextToRate']>>;

/** A library whose queue has so many, three at a time. */
function createLibrary(count: number) {
  const asked: Parameters<LibraryClient['nextToRate']>[0][] = [];
  const released: string[][] = [];
  const library: Pick<LibraryClient, 'nextToRate' | 'releaseRatings'> = {
    async nextToRate(request) {
      asked.push(request);
      const from = Number(request.cursor ?? 0);
      const to = Math.min(count, from + (request.count ?? 1));
      const trajectories = Array.from({ length: to - from }, (_, index) => ({ trajectory_id: `t${from + index}` }));
      const handed = { trajectories, lost: [], lease_seconds: 120, remaining: count };
      return { ...handed, next_cursor: to === count ? null : String(to) } as unknown as Handed;
    },
    async releaseRatings({ trajectories }) {
      released.push(trajectories);
      return { released: trajectories.length };
    },
  };
  return { library, asked, released };
}

test('hands out one after the other, holds what is looked at, and gives back the rest', async () => {
  const { library, asked, released } = createLibrary(7);
  const seen: string[] = [];
  {
    await using queue = openRatingQueue({ library, filter: { model: 'small' }, limit: 5, seat: 's' });
    expect(queue.total()).toBeUndefined();
    for await (const { trajectory_id: id } of queue.trajectories) seen.push(id);
    expect(queue.total()).toBe(5);
  }
  expect(seen).toEqual(['t0', 't1', 't2', 't3', 't4']);
  expect(asked.map(({ count, holding, cursor }) => [count, holding, cursor])).toEqual([
    [3, [], undefined],
    [2, ['t0', 't1', 't2'], '3'],
  ]);
  expect(new Set(asked.map(({ seat }) => seat))).toEqual(new Set(['s']));
  expect(released).toEqual([seen]);
});

test('two terminals sit on two seats, and an empty queue gives nothing back', async () => {
  const { library, asked, released } = createLibrary(0);
  for (let terminal = 0; terminal < 2; terminal += 1) {
    await using queue = openRatingQueue({ library, filter: {}, limit: Infinity });
    for await (const each of queue.trajectories) throw new Error(`there is no ${each.trajectory_id}`);
  }
  expect(new Set(asked.map(({ seat }) => seat)).size).toBe(2);
  expect(released).toEqual([]);
});
