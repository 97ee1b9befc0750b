import { expect, test } from 'vitest';
import { countRollouts, readStoredGroup, type StoredRollout } from './read-stored-group.ts';
import { replaceScores } from './replace-scores.ts';
import { restoreCompletions } from './restore-completions.ts';

const ASKED = { role: 'user', content: 'go' };
const SAID = [
  { role: 'assistant', content: 'one' },
  { role: 'tool', content: 'ok' },
  { role: 'assistant', content: 'two' },
];
const M = -100;

function read(tokens: number[][], masks: number[][], messages: object[][]): readonly StoredRollout[] {
  const rollouts = readStoredGroup(JSON.stringify({ tokens, masks, messages, scores: tokens.map(() => 1) }));
  if ('problem' in rollouts) throw new Error(rollouts.problem);
  return rollouts;
}
const restore = (rollout: StoredRollout, max_completion_tokens: number | null = null) =>
  restoreCompletions(rollout, 1, { max_completion_tokens, max_token_length: 9 } as never).map(
    ({ text, promptTokens, tokens, finishReason }) => [text, [...promptTokens], [...tokens], finishReason],
  );

test('replies get the tokens that were sampled for them, in one row or in several', () => {
  const [joined] = read([[1, 2, 3, 4, 5]], [[M, 2, M, 4, 5]], [[ASKED, ...SAID]]);
  expect(restore(joined!)).toEqual([
    ['one', [1], [2], 'stop'],
    ['two', [1, 2, 3], [4, 5], 'stop'],
  ]);
  const conversation = [ASKED, ...SAID];
  const [split] = read(
    [
      [1, 2],
      [1, 8, 4, 5],
    ],
    [
      [M, 2],
      [M, M, 4, 5],
    ],
    [conversation, conversation],
  );
  expect(split!.rows).toEqual([0, 1]);
  expect(countRollouts(split!, 1)).toBe(1);
  expect(restore(split!, 2)).toEqual([
    ['one', [1], [2], 'stop'],
    ['two', [1, 8], [4, 5], 'length'],
  ]);
});

test('equal rollouts are counted each, and a masked reply leaves the tokens unknown', () => {
  const conversation = [ASKED, ...SAID];
  const row = [1, 2, 3, 4];
  const [twice] = read(
    [row, row],
    [
      [M, 2, M, 4],
      [M, 2, M, 4],
    ],
    [conversation, conversation],
  );
  expect(countRollouts(twice!, 1)).toBe(2);
  const [masked] = read([row], [[M, M, M, 4]], [conversation]);
  expect(countRollouts(masked!, 1)).toBe(1);
  expect(restore(masked!)).toEqual([
    ['one', [], [], 'stop'],
    ['two', [], [], 'stop'],
  ]);
});

test('other scores leave every other byte of a line alone', () => {
  const line = '{"tokens":[[1]],"masks":[[1]],"scores":[0.5],"messages":[[{"scores":[9]}]],"x":1.0}';
  expect(replaceScores(line, [1])).toBe(line.replace('[0.5]', '[1.0]'));
  expect(replaceScores('{"scores":[2],"tokens":[[1]]}', [0.25])).toBe('{"scores":[0.25],"tokens":[[1]]}');
});
