import { expect, test } from 'vitest';
import { PackedGroupError } from './packed-group-error.ts';
import { decodeTurnTokens, encodeTurnTokens, type TurnTokens } from './turn-tokens.ts';

const plain: TurnTokens = {
  ...{ promptTokens: 2, ids: Uint32Array.of(1, 2, 151_643), logprobs: Float32Array.of(-0.5) },
  ...{ mask: Uint8Array.of(0, 0, 1), policyVersion: 0, text: null },
};
// The euro sign is three bytes, here of two tokens.
const euro: TurnTokens = {
  ...{ promptTokens: 0, ids: Uint32Array.of(7, 8), logprobs: Float32Array.of(-1, -2) },
  ...{ mask: Uint8Array.of(1, 1), policyVersion: null },
  text: { bytes: Uint8Array.of(0xe2, 0x82, 0xac), offsets: Uint32Array.of(0, 2, 3), tokenizer: 'Qwen/Qwen3-8B' },
};
const none: TurnTokens = {
  ...{ promptTokens: 0, ids: new Uint32Array(), logprobs: new Float32Array(), mask: new Uint8Array() },
  ...{ policyVersion: null, text: null },
};

test.each([plain, euro, none])('gives back what was written, wherever the bytes begin', (tokens) => {
  const bytes = encodeTurnTokens(tokens);
  expect(decodeTurnTokens(bytes)).toEqual(tokens);
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  expect(decodeTurnTokens(shifted.subarray(3))).toEqual(tokens);
});

test('refuses bytes that are cut off, longer, or something else', () => {
  const bytes = encodeTurnTokens(euro);
  const falling = bytes.slice();
  new DataView(falling.buffer).setUint32((8 + 2 + 2 + 1) * 4, 9, true);
  for (const wrong of [
    bytes.subarray(0, -1),
    Uint8Array.of(...bytes, 0),
    bytes.subarray(4),
    new Uint8Array(32),
    new Uint8Array(),
    falling,
  ]) {
    expect(() => decodeTurnTokens(wrong)).toThrow(PackedGroupError);
  }
});
