import { expect, test } from 'vitest';
import { colourTokens, TOKEN_COLOURS } from './colour-tokens.ts';
import { describeToken } from './describe-token.ts';
import { readSequenceTokens, type TokenColumns } from './token-columns.ts';
import { piecesOfStrings } from './token-pieces.ts';

const bare: TokenColumns = { length: 2, ids: [1, 2], pieces: piecesOfStrings(['a', 'b']) };

const sequence = {
  ...{
    rollout: 0,
    rollout_id: null,
    score: 1,
    advantage: 0.5,
    length: 3,
    trained_tokens: 2,
    left_out: null,
    drift: 0.1,
  },
  policy_versions: [[1, 3, 7]] as [number, number, number][],
  ...{ messages: null, text: 'abc', tokens: [10, 11, 12], pieces: ['a', 'b', 'c'], mask: [0, 1, 1] },
  ...{ logprobs: [1, -0.01, -4], trainer_logprobs: [-0.01, -3], token_advantages: null },
};

test('a shade says what the number says, and what is not known has its own', () => {
  const tokens = readSequenceTokens(sequence) as TokenColumns;
  const shades = (by: (typeof TOKEN_COLOURS)[number]): string[] => {
    const { shadeOf } = colourTokens(tokens, by);
    return [0, 1, 2].map(shadeOf);
  };
  expect(shades('logprob')).toEqual(['is-unknown', 'surprise-0', 'surprise-4']);
  expect(shades('drift')).toEqual(['is-unknown', 'even', 'above-3']);
  expect(shades('advantage')).toEqual(['is-unknown', 'above-3', 'above-3']);
  expect(shades('mask')).toEqual(['is-context', 'is-trained', 'is-trained']);
  expect(shades('version')).toEqual(['is-unknown', 'version-0', 'version-0']);
});

test('the card has both log probabilities and their ratio, of the same token', () => {
  const tokens = readSequenceTokens(sequence) as TokenColumns;
  const facts = Object.fromEntries(describeToken(tokens, 2).map(({ name, value }) => [name, value]));
  expect(facts).toMatchObject({
    sampler: '−4.0000',
    trainer: '−3.0000',
    ratio: '2.718',
    mask: 'trained',
    version: '7',
  });
});

test('where there is nothing to colour by, it says why', () => {
  for (const by of TOKEN_COLOURS) expect(colourTokens(bare, by).missing).toMatch(/\.$/u);
  expect(describeToken(bare, 0).map(({ value }) => value)).toEqual(['a', '1 of 2', '1', '–', '–', '–', '–', '–', '–']);
});
