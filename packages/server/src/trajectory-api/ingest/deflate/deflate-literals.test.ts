import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deflateLiterals } from './deflate-literals.ts';

const inflate = (deflated: Uint8Array) => inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });

const skewed = fc
  .tuple(fc.array(fc.nat(255), { minLength: 1, maxLength: 40 }), fc.nat(200_000), fc.integer({ min: 1, max: 12 }))
  .map(([alphabet, length, skew]) => {
    // Each byte of the alphabet is half as frequent, or less, than the one before it: the longest codes there are.
    return Uint8Array.from({ length }, (_, index) => {
      const rank = Math.floor(Math.log2(((index * 2654435761) >>> 0) / 2 ** 32 + 2 ** -32) * (-4 / skew));
      return alphabet[Math.min(rank, alphabet.length - 1)]!;
    });
  });

test('any bytes come back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 2000 }), skewed), (text) => {
      expect(Buffer.compare(inflate(deflateLiterals(text)), text)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('blocks of every size near the border come back', () => {
  for (const length of [0, 1, 2, 3, 131_071, 131_072, 131_073, 262_144, 262_145]) {
    const text = Uint8Array.from({ length }, (_, index) => (index * 7919) % 251);
    expect(Buffer.compare(inflate(deflateLiterals(text)), text)).toBe(0);
  }
});

test('it ends as a full flush does, so that blocks can follow each other', () => {
  const [first, second] = ['[1,2,3', ',4]'].map((text) => Buffer.from(text));
  const deflated = [deflateLiterals(first!), deflateRawSync(second!, { finishFlush: constants.Z_FULL_FLUSH })];
  for (const block of deflated) expect([...block.slice(-4)]).toEqual([0, 0, 255, 255]);
  expect(inflate(Buffer.concat(deflated)).toString()).toBe('[1,2,3,4]');
});

test('digits take no more room than with zlib told to look for no matches', () => {
  const text = Buffer.from(fc.sample(fc.double({ noNaN: true }), { numRuns: 20_000, seed: 1 }).join(','));
  const reference = deflateRawSync(text, { strategy: constants.Z_HUFFMAN_ONLY, finishFlush: constants.Z_FULL_FLUSH });
  expect(deflateLiterals(text).length).toBeLessThan(reference.length * 1.01);
});
