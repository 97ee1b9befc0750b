import type { FeedbackInput, TrajectoryDetail, TrajectorySummary } from '@lachesis/protocol';
import { expect, test, vi } from 'vitest';
import { createRating, type RateItem } from './create-rating.ts';
import { findPairs } from './find-items.ts';
import type { RatingMode } from './rate-keys.ts';

function makeDetail(id: string, reply = `reply ${id}`, turns = 1): TrajectoryDetail {
  const summary = { trajectory_id: id, title: 'task', consent: 'train' } as TrajectorySummary;
  const made = Array.from({ length: turns }, (_, index) => ({
    ...{
      turn_index: index,
      parent_index: index === 0 ? null : index - 1,
      kept_messages: 0,
      messages: [{ role: 'user', content: 'hi' }],
    },
    replies: [
      { message: { role: 'assistant', content: reply }, finish_reason: 'stop', tokens: null, tokens_missing: null },
    ],
  }));
  return { summary, turns: made as unknown as TrajectoryDetail['turns'], gaps: [] };
}

function start(mode: RatingMode, all: readonly RateItem[]) {
  const said: FeedbackInput[] = [];
  const back: string[] = [];
  let loaded = 0;
  const items = (async function* () {
    for (const item of all) {
      loaded += 1;
      yield item;
    }
  })();
  const rating = createRating({
    ...{ mode, author: 'ada', items, onChange: () => undefined },
    say: (_, feedback) => void said.push(feedback),
    takeBack: (key) => void back.push(key),
  });
  return { rating, said, back, loaded: () => loaded };
}

const singles = (count: number): RateItem[] =>
  Array.from({ length: count }, (_, index) => ({ details: [makeDetail(`t${index}`)] }));

test('the next three are there before they are asked for', async () => {
  const { rating, loaded } = start('one', singles(20));
  await vi.waitFor(() => expect(rating.ahead).toBe(3));
  rating.act({ kind: 'thumb', isUp: true });
  expect(rating.item?.details[0].summary.trajectory_id).toBe('t1');
  await vi.waitFor(() => expect(rating.ahead).toBe(3));
  expect(loaded()).toBe(5);
});

test('one key rates and moves on, another one later revises under the same key', async () => {
  const { rating, said } = start('one', singles(3));
  await vi.waitFor(() => expect(rating.ahead).toBe(2));
  rating.act({ kind: 'stars', stars: 4 });
  rating.act({ kind: 'back' });
  expect(rating.mark).toBe('★ 4 of 5');
  rating.act({ kind: 'thumb', isUp: false });
  expect(said.map(({ key }) => key)).toEqual(['rate:t0', 'rate:t0']);
  rating.act({ kind: 'skip' });
  rating.act({ kind: 'skip' });
  await vi.waitFor(() => expect(rating.isEnded).toBe(true));
});

test('undo takes the last one back and shows it again', async () => {
  const { rating, back } = start('one', singles(3));
  await vi.waitFor(() => expect(rating.ahead).toBe(2));
  rating.act({ kind: 'thumb', isUp: true });
  rating.act({ kind: 'undo' });
  expect([rating.place, rating.mark, back]).toEqual([0, undefined, ['rate:t0']]);
});

test('a choice names both, and the same pair has one key', async () => {
  const pair: RateItem = { details: [makeDetail('b'), makeDetail('a')] };
  const { rating, said } = start('pairs', [pair, pair]);
  await vi.waitFor(() => expect(rating.ahead).toBe(1));
  rating.act({ kind: 'choose', side: 'right' });
  rating.act({ kind: 'choose', side: 'left' });
  expect(said).toMatchObject([
    { kind: 'choice', trajectory_id: 'a', over: { trajectory_id: 'b' }, key: 'choice:a:b' },
    { kind: 'choice', trajectory_id: 'b', over: { trajectory_id: 'a' }, key: 'choice:a:b' },
  ]);
});

test('steps are judged turn by turn, then the next one comes', async () => {
  const { rating, said } = start('steps', [{ details: [makeDetail('t', 'x', 2)] }, ...singles(1)]);
  await vi.waitFor(() => expect(rating.ahead).toBe(1));
  rating.act({ kind: 'thumb', isUp: true });
  expect(rating.turn).toBe(1);
  rating.act({ kind: 'thumb', isUp: false });
  expect(said).toMatchObject([
    { kind: 'step', turn_index: 0, is_right: true },
    { kind: 'step', turn_index: 1, is_right: false },
  ]);
  expect(rating.place).toBe(1);
});

test('pairs have the same task and another reply', async () => {
  const details = [makeDetail('1', 'x'), makeDetail('2', 'x'), makeDetail('3', 'y')];
  const pairs = findPairs({
    list: async () => ({ rows: details.map(({ summary }) => summary), next: null }),
    read: async (id) => details.find(({ summary }) => summary.trajectory_id === id),
  });
  const found = await Array.fromAsync(pairs);
  expect(found.map(({ details: both }) => both.map(({ summary }) => summary.trajectory_id))).toEqual([['1', '3']]);
});

test('a pair that somebody has, or has chosen between, is passed over', async () => {
  const details = ['1', '2', '3', '4', '5', '6'].map((id) => makeDetail(id, id, 1));
  const claimed: string[] = [];
  const tasks = new Map(details.map((detail, index) => [detail, Math.floor(index / 2)]));
  for (const [detail, task] of tasks) detail.turns[0]!.messages = [{ role: 'user', content: `task ${task}` }];
  const pairs = findPairs({
    list: async () => ({ rows: details.map(({ summary }) => summary), next: null }),
    read: async (id) => details.find(({ summary }) => summary.trajectory_id === id),
    isOpen: async ([one]) => one !== '1',
    claim: async (ids) => (claimed.push(ids.join()), ids[0] !== '3'),
  });
  const found = await Array.fromAsync(pairs);
  expect(claimed).toEqual(['3,4', '5,6']);
  expect(found.map(({ details: both }) => both.map(({ summary }) => summary.trajectory_id))).toEqual([['5', '6']]);
});
