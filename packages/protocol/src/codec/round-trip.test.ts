import fc from 'fast-check';
import { expect, test } from 'vitest';

import { decodeGroup } from './decode-group.ts';
import { encodeGroup } from './encode-group.ts';
import { groupArbitrary } from './group-arbitraries.fixture.ts';
import type { EncodableGroup } from './group-payload.ts';
import { toPlainGroup } from './plain-group.fixture.ts';
import { readWireBlock } from './read-wire-block.ts';

test('every group comes back as it was', () => {
  fc.assert(
    fc.property(groupArbitrary, (group) => {
      expect(toPlainGroup(decodeGroup(encodeGroup(group)))).toEqual(toPlainGroup(group));
    }),
    { numRuns: 2000 },
  );
});

test('a decoded group encodes to the same bytes', () => {
  fc.assert(
    fc.property(groupArbitrary, (group) => {
      const bytes = encodeGroup(group);
      expect(encodeGroup(decodeGroup(bytes))).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});

test('a container at any offset of a larger buffer reads the same', () => {
  fc.assert(
    fc.property(groupArbitrary, fc.integer({ min: 1, max: 15 }), (group, shift) => {
      const bytes = encodeGroup(group);
      const buffer = new Uint8Array(bytes.length + 32).fill(0xff);
      buffer.set(bytes, shift);
      const shifted = buffer.subarray(shift, shift + bytes.length);
      expect(toPlainGroup(decodeGroup(shifted))).toEqual(toPlainGroup(group));
    }),
    { numRuns: 300 },
  );
});

test('the wire block is read without the rest', () => {
  fc.assert(
    fc.property(groupArbitrary, (group) => {
      expect(readWireBlock(encodeGroup(group))).toEqual(group.wire);
    }),
    { numRuns: 300 },
  );
});

test('decoding an aligned container copies no values', () => {
  const values = Float64Array.from([1, 2 ** 40]);
  const rowLengths = Uint32Array.of(2);
  const bytes = encodeGroup({
    header: {},
    tokens: { values, rowLengths },
    masks: { values: Int32Array.of(7, 8), rowLengths },
    scores: Float64Array.of(0.1),
    inferenceLogprobs: { values: Float32Array.of(-1, -2), rowLengths },
    wire: { deflated: Uint8Array.of(1, 2, 3), crc32: 4, inflatedBytes: 5 },
  });
  const group = decodeGroup(bytes);
  const views = [
    group.tokens.values,
    group.masks.values,
    group.scores,
    group.inferenceLogprobs?.values,
    group.wire?.deflated,
  ];
  expect(views.every((view) => view?.buffer === bytes.buffer)).toBe(true);
});

test('a group of 16 × 1,024 takes about 6 bytes a token and well under a millisecond', () => {
  const group = makeLargeGroup();
  const bytes = encodeGroup(group);
  expect(bytes.length / (16 * 1024)).toBeLessThan(6.2);
  const encodeMs = medianMs(() => encodeGroup(group));
  const decodeMs = medianMs(() => decodeGroup(bytes));
  // Measured at a tenth of this; the rest is for a busy machine.
  expect(encodeMs).toBeLessThan(1);
  expect(decodeMs).toBeLessThan(1);
});

function makeLargeGroup(): EncodableGroup {
  const rowLengths = new Uint32Array(16).fill(1024);
  const tokens = Uint32Array.from({ length: 16 * 1024 }, (_, index) => (index * 7919) % 50_000);
  const masks = Int32Array.from(tokens, (token, index) => (index % 1024 < 256 ? -100 : token));
  const logprobs = Float32Array.from(tokens, (token) => -token / 50_000);
  return {
    header: { env_id: 3 },
    tokens: { values: tokens, rowLengths },
    masks: { values: masks, rowLengths },
    scores: new Float64Array(16).fill(0.5),
    inferenceLogprobs: { values: logprobs, rowLengths },
  };
}

function medianMs(run: () => unknown): number {
  const times = Array.from({ length: 101 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.toSorted((left, right) => left - right)[50]!;
}
