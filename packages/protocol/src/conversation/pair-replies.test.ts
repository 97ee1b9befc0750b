import { expect, test } from 'vitest';
import type { TrajectoryDetail } from '../library/library.ts';
import { lastReply, pairReplies } from './pair-replies.ts';

const make = (id: string, ask: string, ...says: string[]): TrajectoryDetail =>
  ({
    summary: { trajectory_id: id },
    turns: says.map((say) => ({
      messages: [{ role: 'user', content: ask }],
      replies: say === '' ? [] : [{ message: { role: 'assistant', content: say } }],
    })),
  }) as unknown as TrajectoryDetail;

async function pair(...details: TrajectoryDetail[]): Promise<string[][]> {
  const pairs = await Array.fromAsync(pairReplies(list(details)));
  return pairs.map((both) => both.map(({ summary }) => summary.trajectory_id));
}

async function* list(details: TrajectoryDetail[]): AsyncGenerator<TrajectoryDetail, void> {
  yield* details;
}

test('two replies to one request are a pair, and two equal ones are none', async () => {
  expect(
    await pair(make('1', 'hi', 'yo'), make('2', 'bye', 'so'), make('3', 'hi', 'hm'), make('4', 'bye', 'so')),
  ).toEqual([['1', '3']]);
});

test('each is in one pair, and one without a reply in none', async () => {
  expect(await pair(make('1', 'x', 'a'), make('2', 'x', ''), make('3', 'x', 'b'), make('4', 'x', 'c'))).toEqual([
    ['1', '3'],
  ]);
  expect(await pair(make('1', 'x'), make('2', 'x', 'b'))).toEqual([]);
});

test('what was thought before it makes no other reply', async () => {
  expect(lastReply(make('1', 'x', 'first', '<think>hm</think>\nyes'))).toBe('yes');
  expect(await pair(make('1', 'x', '<think>one</think>yes'), make('2', 'x', '<think>two</think>yes'))).toEqual([]);
});
