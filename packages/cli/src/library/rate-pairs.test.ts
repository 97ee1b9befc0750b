import type { FeedbackInput } from '@lachesis/protocol';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createKeyReader } from '../terminal/key-reader.ts';
import { createPaint } from '../terminal/paint.ts';
import { findPairs, runPairLoop } from './rate-pairs.ts';
import { makeDetail, makeTurn } from './trajectories.fixture.ts';

const make = (id: string, ask: string, say: string) =>
  makeDetail([makeTurn(0, [{ role: 'user', content: ask }], { role: 'assistant', content: say })], {
    trajectory_id: id,
  });

const details = [
  make('1', 'hi', 'yo'),
  make('2', 'bye', 'so long'),
  make('3', 'hi', 'hello'),
  make('4', 'bye', 'so long'),
];

async function* list() {
  yield* details.map(({ summary }) => summary);
}

const library = { readTrajectory: async (id: string) => details.find(({ summary }) => summary.trajectory_id === id) };

test('two replies to one prompt are a pair, and two equal ones are none', async () => {
  const pairs = await findPairs(library, list(), 10);
  expect(pairs.map(({ task, replies }) => [task, ...replies.map(({ summary }) => summary.trajectory_id)])).toEqual([
    ['hi', '1', '3'],
  ]);
});

test('a key says which is better, and the same pair has the same key', async () => {
  const kept: FeedbackInput[] = [];
  let screen = '';
  const choose = async (keys: string): Promise<unknown> => {
    const input = new PassThrough();
    const reader = createKeyReader(input);
    input.end(keys);
    return await runPairLoop({
      library: { writeFeedback: async (feedback) => (kept.push(feedback as FeedbackInput), undefined as never) },
      pairs: await findPairs(library, list(), 10),
      ...{ keys: reader, author: 'me', paint: createPaint(false), columns: 80, clears: false },
      write: (text) => (screen += text),
    });
  };
  expect(await choose('xb')).toEqual({ chosen: 1, skipped: 0 });
  expect(await choose('a')).toEqual({ chosen: 1, skipped: 0 });
  expect(await choose('s')).toEqual({ chosen: 0, skipped: 1 });
  expect(kept).toMatchObject([
    { trajectory_id: '3', kind: 'choice', over: { trajectory_id: '1' }, author_kind: 'person' },
    { trajectory_id: '1', kind: 'choice', over: { trajectory_id: '3' } },
  ]);
  expect(kept[0]?.key).toBe(kept[1]?.key);
  expect(screen).toContain('1 of 1');
  expect(screen).toContain('hello');
});
