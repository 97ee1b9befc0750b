import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { readReplies } from './read-replies.ts';

test('three of the first groups and three of the last, each from a group of its own', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-replies-'));
  const path = join(directory, 'rollouts.jsonl');
  const group = (name: string): string => {
    const say = (index: number): object[] => [
      { role: 'user', content: name },
      { role: 'assistant', content: `${name}${index}` },
    ];
    return `${JSON.stringify({ messages: [say(0), say(1), say(2)], scores: [0, 0.5, 1] })}\n`;
  };
  await writeFile(path, ['a', 'b', 'c', 'd', 'e'].map(group).join(''));
  const { before, after } = await readReplies(path);
  expect(before.map(({ text, reward }) => [text, reward])).toEqual([
    ['a0', 0],
    ['b1', 0.5],
    ['c2', 1],
  ]);
  expect(after.map(({ prompt, text }) => [prompt, text])).toEqual([
    ['c', 'c0'],
    ['d', 'd1'],
    ['e', 'e2'],
  ]);
  await writeFile(path, group('only'));
  expect((await readReplies(path)).after.map(({ text }) => text)).toEqual(['only0', 'only1', 'only2']);
  await rm(directory, { recursive: true });
});
