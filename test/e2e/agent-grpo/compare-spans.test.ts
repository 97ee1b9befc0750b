import { expect, test } from 'vitest';

import { countStrangers, listSpans } from './compare-spans.ts';

const row = {
  tokens: [1, 2, 3, 4, 5, 6, 7],
  isTrained: [false, false, true, true, false, true, true],
  logprobs: [1, 1, -0.1, -0.2, 1, -0.3, -0.4],
};
const spans = [
  { prompt: [1, 2], tokens: [3, 4], logprobs: [-0.1, -0.2] },
  { prompt: [1, 2, 3, 4, 5], tokens: [6, 7], logprobs: [-0.3, -0.4] },
];

test('a row has one span for each reply, with all that stood before it', () => {
  expect(listSpans(row)).toEqual(spans);
});

test('what was sampled is known, and counts once', () => {
  expect(countStrangers(listSpans(row), spans)).toBe(0);
  expect(countStrangers([...spans, ...spans], spans)).toBe(2);
});

test('another id, another logprob and another prompt are strangers', () => {
  const [first] = spans;
  for (const change of [{ tokens: [3, 5] }, { tokens: [3] }, { logprobs: [-0.1, -0.3] }, { prompt: [1] }]) {
    expect(countStrangers([{ ...first!, ...change }], spans)).toBe(1);
  }
});
