import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guessFormat } from '../../formats.ts';
import type { ReadResult } from '../../records/read-result.ts';
import { readGroups } from './read-groups.ts';

const say = (reply: string) => [
  { role: 'user', content: '1+2=' },
  { role: 'assistant', content: reply },
];

/** Two rollouts; the history of the second was rewritten, so it has two sequences. */
const line = {
  tokens: [
    [7, 8],
    [7, 9],
    [7, 9, 3],
  ],
  masks: [
    [-100, 8],
    [-100, 9],
    [-100, -100, 3],
  ],
  scores: [1, 0.5, 0.5],
  messages: [say('3'), say('four'), say('four')],
  inference_logprobs: [
    [1, -0.1],
    [1, -0.2],
    [1, 1, -0.3],
  ],
  rollout_ids: ['a', 'b', 'b'],
};

async function read(...lines: unknown[]): Promise<ReadResult[]> {
  const text = lines.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n');
  return await Array.fromAsync(readGroups(text));
}

test('each attempt is a conversation with its score; sequences of one rollout are one attempt', async () => {
  const results = await read(line);
  expect(results).toMatchObject([
    {
      at: 'line 1',
      record: {
        ...{ id: 'a', reward: 1, messages: say('3') },
        tokens: { token_ids: [7, 8], mask: [0, 1], logprobs: [0, -0.1] },
        extra: { rollout: { group_id: 'group-1', rollout_id: 'a', score: 1 } },
      },
    },
    { record: { id: 'b', reward: 0.5, tokens: null } },
  ]);
});

test('a file that names no rollouts has one for each sequence', async () => {
  const results = await read({ ...line, rollout_ids: null, inference_logprobs: null });
  expect(results.map((result) => 'record' in result && result.record.id)).toEqual([
    ...['group-1/0', 'group-1/1', 'group-1/2'],
  ]);
  expect(results[0]).toMatchObject({ record: { tokens: { logprobs: null } } });
});

test('what is no group, or has no messages, is told with its line', async () => {
  const problems = await read('{"tokens":', { a: 1 }, { ...line, scores: [1] }, { ...line, messages: null });
  expect(problems.map((result) => 'problem' in result && `${result.problem.at}: ${result.problem.reason}`)).toEqual([
    'line 1: it is not JSON; a line that was cut short looks like this',
    expect.stringContaining('line 2: it is no group of rollouts: tokens'),
    'line 3: it has 3 sequences and 1 scores',
    'line 4: sequence 1 has no messages: tokens alone are no conversation',
    'line 4: sequence 3 has no messages: tokens alone are no conversation',
  ]);
});

test('a file of groups is known by its first line, however long its tokens are', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-groups-'));
  const file = join(folder, 'groups.jsonl');
  await writeFile(
    file,
    `${JSON.stringify({ ...line, tokens: [Array.from({ length: 40_000 }, () => 7), [1], [2]] })}\n`,
  );
  expect(await guessFormat(file)).toBe('groups');
  await rm(folder, { recursive: true });
});
