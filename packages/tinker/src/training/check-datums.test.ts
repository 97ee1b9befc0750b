import { expect, test } from 'vitest';
import type { Datum } from '../codec/datum.ts';
import { SKYRL_PROFILE, TUFT_PROFILE } from '../profile/profiles.ts';
import { checkDatums } from './check-datums.ts';

const tokens = Int32Array.of(1, 2, 3);
const matrix: Datum = {
  tokens,
  inputs: {
    target_tokens: { data: new BigInt64Array(6), shape: [3, 2] },
    weights: { data: new Float32Array(6), shape: [3, 2] },
  },
};
const check = (datum: Datum, profile: typeof SKYRL_PROFILE): void =>
  checkDatums([datum], { loss: 'cross_entropy', vocabularySize: 10, ...profile });

test('a matrix goes to a server that keeps its shape, and to no other', () => {
  expect(() => check(matrix, TUFT_PROFILE)).not.toThrow();
  expect(() => check(matrix, SKYRL_PROFILE)).toThrow(/two dimensions/);
});

test('an image is refused where the server would leave it out without a word', () => {
  const image = { type: 'image', data: new Uint8Array(4), format: 'png', expectedTokens: 3 } as const;
  const datum: Datum = { tokens, chunks: [image], inputs: {} };
  expect(() => check(datum, SKYRL_PROFILE)).toThrow(/image or audio/);
});
