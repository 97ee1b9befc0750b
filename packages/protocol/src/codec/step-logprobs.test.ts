import { expect, test } from 'vitest';
import { PackedGroupError } from './packed-group-error.ts';
import { decodeStepLogprobs, encodeStepLogprobs } from './step-logprobs.ts';

const SEQUENCES = [
  { group: 0, sequence: 1, values: Float32Array.of(-0.5, -1) },
  { group: 7, sequence: 0, values: new Float32Array() },
  { group: 127, sequence: 15, values: Float32Array.of(-2) },
];

test('gives back what was written, wherever the bytes begin', () => {
  const bytes = encodeStepLogprobs(SEQUENCES);
  expect(decodeStepLogprobs(bytes)).toEqual(SEQUENCES);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(decodeStepLogprobs(shifted.subarray(1))).toEqual(SEQUENCES);
  expect(decodeStepLogprobs(encodeStepLogprobs([]))).toEqual([]);
});

test('refuses bytes that are cut off, longer, or something else', () => {
  const bytes = encodeStepLogprobs(SEQUENCES);
  for (const wrong of [
    bytes.subarray(0, -4),
    Uint8Array.of(...bytes, 0, 0, 0, 0),
    bytes.subarray(1),
    new Uint8Array(8),
  ]) {
    expect(() => decodeStepLogprobs(wrong)).toThrow(PackedGroupError);
  }
});
