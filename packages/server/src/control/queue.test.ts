import type { ratingQueueSchemas } from '@lachesis/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { createControlBench, makeCall, makeToken, type ControlBench } from './bench.fixture.ts';

type Handed = z.infer<(typeof ratingQueueSchemas)['reply']>;

const ITEMS = 40;
let bench: ControlBench;
let token: string;

beforeAll(async () => {
  bench = await createControlBench();
  token = await makeToken(bench.store, 'a', ['admin']);
  const records = Array.from({ length: ITEMS }, () => makeCall());
  await bench.call('POST', '/v1/records', { token, body: { records } });
});

afterAll(() => bench[Symbol.asyncDispose]());

const next = async (seat: string, more: object = {}): Promise<Handed> =>
  (await bench.call('POST', '/v1/queue/next', { token, body: { seat, ...more } })).json as Handed;
const release = (seat: string, trajectories: readonly string[]) =>
  bench.call('POST', '/v1/queue/release', { token, body: { seat, trajectories } });
const rate = (trajectoryId: string, author: string) =>
  bench.call('POST', '/v1/feedback', {
    ...{ token },
    body: { trajectory_id: trajectoryId, author, author_kind: 'person', kind: 'thumb', is_up: true },
  });
const idsOf = ({ trajectories }: Handed) => trajectories.map(({ trajectory_id: id }) => id);

test('raters at once are never given the same, and together they are given everything', async () => {
  const rated: string[] = [];
  const work = async (seat: string): Promise<void> => {
    for (let cursor: string | undefined; ;) {
      const handed = await next(seat, { count: 3, ...(cursor === undefined ? {} : { cursor }) });
      for (const id of idsOf(handed)) {
        rated.push(id);
        expect((await rate(id, seat)).status).toBe(200);
      }
      if (handed.next_cursor === null) return;
      cursor = handed.next_cursor;
    }
  };
  const before = await next('counter', { count: 0 });
  expect([before.remaining, before.trajectories]).toEqual([ITEMS, []]);
  await Promise.all(['ada', 'bob', 'cy', 'dee', 'eve'].map(work));
  expect([rated.length, new Set(rated).size]).toEqual([ITEMS, ITEMS]);
  expect(await next('ada')).toMatchObject({ trajectories: [], remaining: 0, next_cursor: null });
});

test('what is given back, or whose lease has run out, is given to the next', async () => {
  const records = Array.from({ length: 3 }, () => makeCall({ model: 'again' }));
  await bench.call('POST', '/v1/records', { token, body: { records } });
  const filter = { model: 'again' };
  const [first, second, third] = [
    await next('ada', { filter, count: 2 }),
    await next('bob', { filter, count: 2 }),
    await next('cy', { filter }),
  ];
  expect([first, second, third].map((handed) => handed.trajectories.length)).toEqual([2, 1, 0]);
  expect(third.remaining).toBe(3);
  // The same seat without a cursor is given its own again: a page that was loaded anew goes on.
  expect(idsOf(await next('ada', { filter, count: 2 }))).toEqual(idsOf(first));
  const [skipped = '', kept = ''] = idsOf(first);
  expect((await release('bob', [skipped])).json).toEqual({ released: 0 });
  expect((await release('ada', [skipped, 'nothing'])).json).toEqual({ released: 1 });
  expect(idsOf(await next('cy', { filter }))).toEqual([skipped]);
  // Who holds on keeps it; who does not loses it.
  await bench.store.db.updateTable('leases').set({ lease_expires_at: 1 }).where('kind', '=', 'rating').execute();
  expect(await next('ada', { filter, count: 0, holding: [kept] })).toMatchObject({ lost: [], trajectories: [] });
  expect(idsOf(await next('dee', { filter, count: 5 })).toSorted()).toEqual([skipped, ...idsOf(second)].toSorted());
  expect((await next('cy', { count: 0, filter, holding: [skipped] })).lost).toEqual([skipped]);
});

test('another tenant is given nothing, and a wish that does not fit is refused', async () => {
  const other = await makeToken(bench.store, 'b', ['feedback:write']);
  const theirs = await bench.call('POST', '/v1/queue/next', { token: other, body: { seat: 'x', all: true } });
  expect(theirs.json).toMatchObject({ trajectories: [], remaining: 0 });
  for (const body of [
    {},
    { seat: '' },
    { seat: 'a b' },
    { seat: 'x', count: 21 },
    { seat: 'x', filter: { nothing: 1 } },
  ])
    expect((await bench.call('POST', '/v1/queue/next', { token, body })).status).toBe(422);
});
