import type { TrajectoryFilter } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { writeFeedback } from '../feedback/write-feedback.ts';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { assistant, createCall, createEnd, createMemoryBlobs, user } from './captures.fixture.ts';
import { setConsent, tagTrajectory } from './change-trajectory.ts';
import { findPages } from './find-pages.ts';
import { iterateTrajectories } from './iterate-trajectories.ts';
import { listTrajectories } from './list-trajectories.ts';
import { recordCaptures } from './captures/record-captures.ts';

const DAY = 1_700_000_000_000;

describeOnEachDialect('a list of trajectories', (createTarget) => {
  async function openFilled() {
    const target = await createTarget();
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const failed = createCall({
      trajectory: 'c',
      messages: [user('gamma zürich 東京都')],
      model: 'big',
      at: DAY + 2000,
    });
    failed.state = 'failed';
    failed.replies = [];
    failed.usage = null;
    failed.error = { message: 'no', status: 500 };
    const tool = { id: 'call_77', function: { name: 'search_web', arguments: '{}' } };
    await recordCaptures({
      ...scope,
      records: [
        createCall({ trajectory: 'a', messages: [user('alpha refund')], tags: ['red'], user: 'ada', at: DAY }),
        createCall({
          trajectory: 'a',
          sequence: 1,
          messages: [user('alpha refund'), assistant('fine'), user('to new york please')],
          reply: { role: 'assistant', content: null, tool_calls: [tool] },
          at: DAY + 500,
        }),
        createEnd({ trajectory: 'a', sequence: 2, reward: 0.2, at: DAY + 600 }),
        createCall({
          trajectory: 'b',
          messages: [user('beta refund york')],
          source: 'gateway',
          at: DAY + 1000,
          consent: 'keep',
        }),
        createEnd({ trajectory: 'b', sequence: 1, reward: 0.9, at: DAY + 1100 }),
        failed,
      ],
    });
    const list = async (filter: TrajectoryFilter, options = {}) =>
      (await listTrajectories({ ...scope, filter, limit: 10, ...options })).trajectories.map(({ key }) => key).join('');
    return { target, scope, list };
  }

  test('says where its pages begin, from any cursor on and in every order', async () => {
    const { target, scope, list } = await openFilled();
    await using _target = target;
    for (const order of ['newest', 'oldest', 'updated'] as const) {
      const all = await list({}, { order });
      const pages = (await findPages({ ...scope, filter: {}, size: 1, order }))!;
      expect([order, pages.count, pages.cursors.length]).toEqual([order, 3, 2]);
      const read = await Promise.all(pages.cursors.map((cursor) => list({}, { order, cursor, limit: 1 })));
      expect(read.join('')).toBe(all.slice(1));
      const behind = (await findPages({ ...scope, filter: {}, size: 1, order, cursor: pages.cursors[0] }))!;
      expect(behind).toEqual({ count: 2, cursors: pages.cursors.slice(1) });
    }
    const narrow = { ...scope, filter: { source: 'gateway' }, size: 2 };
    expect(await findPages(narrow)).toEqual({ count: 1, cursors: [] });
    expect((await findPages({ ...scope, filter: {}, size: 3 }))?.cursors).toEqual([]);
    expect(await findPages({ ...scope, filter: { text: 'refund' }, size: 1 })).toBeUndefined();
  });

  test('is narrowed by every field of a filter', async () => {
    const { target, scope, list } = await openFilled();
    await using _target = target;
    const cases: [TrajectoryFilter, string][] = [
      [{}, 'cba'],
      [{ model: 'big' }, 'c'],
      [{ source: 'gateway' }, 'b'],
      [{ user: 'ada' }, 'a'],
      [{ key: 'b' }, 'b'],
      [{ run: 'none' }, ''],
      [{ tool: 'search_web' }, 'a'],
      [{ tool: 'search' }, ''],
      [{ tag: 'red' }, 'a'],
      [{ outcome: 'scored' }, 'ba'],
      [{ consent: 'keep' }, 'b'],
      [{ split: 'train' }, 'cba'],
      [{ min_reward: 0.5 }, 'b'],
      [{ max_reward: 0.5 }, 'a'],
      [{ min_reward: 0.1, max_reward: 0.95 }, 'ba'],
      [{ min_rating: 0 }, ''],
      [{ min_turns: 2 }, 'a'],
      [{ max_turns: 1 }, 'cb'],
      [{ min_tokens: 12 }, 'ba'],
      [{ max_tokens: 11 }, ''],
      [{ has_error: true }, 'c'],
      [{ has_error: false }, 'ba'],
      [{ has_tokens: true }, ''],
      [{ has_feedback: false }, 'cba'],
      [{ since: DAY + 1000 }, 'cb'],
      [{ until: DAY + 1000 }, 'a'],
      [{ model: 'small', min_turns: 2, tag: 'red' }, 'a'],
      [{ text: 'refund', source: 'gateway' }, 'b'],
    ];
    for (const [filter, keys] of cases) expect([filter, await list(filter)]).toEqual([filter, keys]);
    const [{ trajectory_id: trajectoryId } = { trajectory_id: '' }] = (
      await listTrajectories({ ...scope, filter: { key: 'b' }, limit: 1 })
    ).trajectories;
    const stars = { kind: 'stars', stars: 5, author: 'ada', author_kind: 'person' } as const;
    await writeFeedback({ ...scope, feedback: { ...stars, trajectory_id: trajectoryId } });
    expect([
      await list({ min_rating: 0.9 }),
      await list({ has_feedback: true }),
      await list({ max_rating: 0.5 }),
    ]).toEqual(['b', 'b', '']);
    expect(await tagTrajectory({ ...scope, trajectoryId, add: ['x', 'y'] })).toEqual(['x', 'y']);
    expect(await tagTrajectory({ ...scope, trajectoryId, remove: ['x'] })).toEqual(['y']);
    expect([await list({ tag: 'x' }), await list({ tag: 'y' })]).toEqual(['', 'b']);
    expect(await setConsent({ ...scope, trajectoryId, consent: 'train' })).toBe(true);
    expect(await list({ consent: 'keep' })).toBe('');
    expect(await setConsent({ ...scope, trajectoryId: 'none', consent: 'train' })).toBe(false);
    expect(await tagTrajectory({ ...scope, trajectoryId: 'none', add: ['x'] })).toBeUndefined();
  });

  test('finds words anywhere in a trajectory, phrases, beginnings, tools and ids', async () => {
    const { target, scope, list } = await openFilled();
    await using _target = target;
    const id = (await listTrajectories({ ...scope, filter: { key: 'c' }, limit: 1 })).trajectories[0]!.trajectory_id;
    const cases: [string, string][] = [
      ['refund', 'ba'],
      ['REFUND york', 'ba'],
      ['alpha york', 'a'],
      ['"new york"', 'a'],
      ['"refund york"', 'b'],
      ['ref*', 'ba'],
      ['ref', ''],
      ['zurich', 'c'],
      ['Zürich', 'c'],
      ['東京', 'c'],
      ['京東', ''],
      ['search_web', 'a'],
      ['call_77', 'a'],
      [id, 'c'],
      [`it's "quo`, ''],
      ['?!', ''],
      ['  ', 'cba'],
      ['-alpha', 'a'],
      ['NOT OR AND', ''],
    ];
    for (const [text, keys] of cases) expect([text, await list({ text })]).toEqual([text, keys]);
  });

  test('is read page by page in every order', async () => {
    await using target = await createTarget();
    const scope = { store: await target.open(), blobs: createMemoryBlobs(), tenantId: 'local' };
    const count = 25;
    await recordCaptures({
      ...scope,
      records: Array.from({ length: count }, (_, index) =>
        createCall({ trajectory: `k${index}`, messages: [user('common')], at: DAY + ((index * 7) % count) * 1000 }),
      ),
    });
    const arrival = Array.from({ length: count }, (_, index) => `k${index}`);
    const updated = arrival.toSorted(
      (left, right) => ((Number(right.slice(1)) * 7) % count) - ((Number(left.slice(1)) * 7) % count),
    );
    const readAll = async (filter: TrajectoryFilter, order: 'newest' | 'oldest' | 'updated') => {
      const keys: (string | null)[] = [];
      let cursor: string | undefined;
      do {
        const page = await listTrajectories({ ...scope, filter, order, limit: 4, cursor });
        keys.push(...page.trajectories.map(({ key }) => key));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return keys;
    };
    for (const filter of [
      {},
      { text: 'common' },
      { model: 'small' },
      { min_turns: 1 },
      { text: 'common', model: 'small' },
    ]) {
      expect(await readAll(filter, 'newest')).toEqual(arrival.toReversed());
      expect(await readAll(filter, 'oldest')).toEqual(arrival);
    }
    expect(await readAll({}, 'updated')).toEqual(updated);
    expect(await readAll({ model: 'small' }, 'updated')).toEqual(updated);
    await expect(listTrajectories({ ...scope, filter: {}, limit: 4, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid',
    });
    const iterated: unknown[] = [];
    for await (const { summary, turns } of iterateTrajectories({ ...scope, filter: {}, batchSize: 10 })) {
      iterated.push([summary.key, turns.length]);
    }
    expect(iterated).toEqual(arrival.map((key) => [key, 1]));
  });

  test('read out whole asks for the turns of the next batch before this one is used', async () => {
    const { target, scope } = await openFilled();
    await using _target = target;
    let asked = 0;
    const db = scope.store.db.withPlugin({
      transformQuery({ node }) {
        asked += 1;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const rows = iterateTrajectories({ ...scope, store: { ...scope.store, db }, filter: {}, batchSize: 1 });
    // Its own rows and turns, those of the second, the rows of the third, and its turns where the rows were there already.
    expect((await rows.next()).value?.summary.key).toBe('a');
    expect(asked).toBeGreaterThanOrEqual(5);
    expect((await rows.next()).value?.turns).toHaveLength(1);
    expect((await rows.next()).value?.summary.key).toBe('c');
    expect((await rows.next()).done).toBe(true);
  });
});
