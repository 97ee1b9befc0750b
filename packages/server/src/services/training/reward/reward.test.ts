import type { Tokenizer } from '@lachesis/sdk/render';
import { expect, test } from 'vitest';
import { createScorer } from './create-scorer.ts';
import { measureMargins } from './measure-margins.ts';
import { createOddsLoss, readScores } from './odds-loss.ts';
import { createRewardMethod } from './method.ts';
import { endWith } from './render-scored.ts';

test('the last token alone is predicted, and everything before it is given', () => {
  expect(endWith(Int32Array.of(5, 6, 7), 9)).toEqual({
    tokens: Int32Array.of(5, 6, 7),
    inputs: { target_tokens: Int32Array.of(6, 7, 9), weights: Float32Array.of(0, 0, 1) },
  });
});

const rows = (values: readonly number[]): Float64Array[] => values.map((value) => Float64Array.of(-1, value));

test('a score is the odds of the two verdicts, and the preferred reply has to win', () => {
  const logprobs = rows([-1, -3, -2, -2.5]);
  expect(readScores(logprobs)).toEqual([{ chosen: 2, rejected: 0.5 }]);
  const { loss, metrics } = createOddsLoss({ decay: 0 })({ logprobs, datums: [] });
  expect(loss).toBeCloseTo(Math.log1p(Math.exp(-1.5)));
  expect(metrics).toMatchObject({ accuracy: 1, margin: 1.5, chosen: 2, rejected: 0.5 });
});

test('its gradient is that of finite differences, the pull on the level included', () => {
  const values = [-1, -3, -2, -0.5, -0.1, -4, -7, -0.2];
  const loss = createOddsLoss({ decay: 0.01 });
  const { gradients } = loss({ logprobs: rows(values), datums: [] });
  for (const [place, value] of values.entries()) {
    const at = (moved: number): number => loss({ logprobs: rows(values.with(place, moved)), datums: [] }).loss;
    expect(gradients[place]![0]).toBe(0);
    expect(gradients[place]![1]).toBeCloseTo((at(value + 1e-5) - at(value - 1e-5)) / 2e-5, 6);
  }
});

test('margins far out do not overflow', () => {
  const { loss, gradients } = createOddsLoss({ decay: 0 })({ logprobs: rows([-900, 0, 0, -900]), datums: [] });
  expect(loss).toBeCloseTo(1800);
  expect(gradients.flatMap((row) => [...row]).every(Number.isFinite)).toBe(true);
});

test('accuracy, calibration and log loss of margins', () => {
  expect(measureMargins([5, 5, 5, -5]).accuracy).toBe(0.75);
  expect(measureMargins([0, 0])).toMatchObject({ accuracy: 0.5, calibrationError: 0 });
  expect(measureMargins([0]).logLoss).toBeCloseTo(Math.LN2);
  // Two of three right at a confidence of two thirds is calibrated; the same at certainty is not.
  const calm = Math.log(2);
  expect(measureMargins([calm, calm, -calm]).calibrationError).toBeCloseTo(0);
  expect(measureMargins([99, 99, 99, -99]).calibrationError).toBeCloseTo(0.25);
  expect(measureMargins([])).toMatchObject({ pairs: 0, accuracy: 0, calibrationError: 0 });
});

test('calibration over all examples follows from the means of its bins', () => {
  const [a, b] = [measureMargins([2, -2]), measureMargins([2, 2])];
  const means = Object.fromEntries(
    a.calibrationGaps.map((gap, bin) => [`eval/calibration_gap_${50 + 5 * bin}`, (gap + b.calibrationGaps[bin]!) / 2]),
  );
  expect(createRewardMethod().summarise?.(means)?.['eval/calibration_error']).toBeCloseTo(
    measureMargins([2, -2, 2, 2]).calibrationError,
  );
});

/** One token a character: enough to see what is asked. */
const tokenizer = {
  encodeAsText: async (text: string) => Int32Array.from(text, (character) => character.codePointAt(0)!),
} as unknown as Tokenizer;

const scorerOf = (lastLogprobs: (count: number) => readonly number[]) => {
  const passes: number[] = [];
  let opened = 0;
  const scorer = createScorer({
    tokenizer,
    maxTokens: 10,
    render: async ({ messages }) => {
      const tokens = Int32Array.from({ length: String(messages[0]?.content).length }, () => 1);
      return { good: endWith(tokens, 49), bad: endWith(tokens, 48) };
    },
    open: async () => {
      opened += 1;
      return {
        lastLogprobs: async (datums) => {
          passes.push(datums.length);
          return lastLogprobs(datums.length);
        },
        close: async () => undefined,
      };
    },
  });
  return { scorer, passes, opened: () => opened };
};

const ask = (content: string) => ({ messages: [{ role: 'user', content }] });

test('conversations that come together are scored in one pass', async () => {
  const { scorer, passes } = scorerOf((count) => Array.from({ length: count }, (_, index) => -index));
  expect(await Promise.all([scorer.score(ask('a')), scorer.score(ask('bb'))])).toEqual([1, 1]);
  expect(passes).toEqual([4]);
  await expect(scorer.score(ask('a'.repeat(11)))).rejects.toMatchObject({ code: 'bad-request' });
  await scorer.close();
  await expect(scorer.score(ask('a'))).rejects.toMatchObject({ code: 'unavailable' });
});

test('an engine that fails is a failure and no score, and the weights are loaded anew for the next call', async () => {
  let calls = 0;
  const { scorer, opened } = scorerOf((count) => {
    calls += 1;
    if (calls === 1) throw new Error('gone');
    return Array.from({ length: count }, () => (calls === 2 ? Number.NaN : -1));
  });
  await expect(scorer.score(ask('a'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(scorer.score(ask('a'))).rejects.toMatchObject({ code: 'internal' });
  expect(await scorer.score(ask('a'))).toBe(0);
  expect(opened()).toBe(2);
});
