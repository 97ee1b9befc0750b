import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillsBatchAlone, isUnpackable } from './is-unpackable.ts';
import { packBatchWithMinimums } from './pack-batch-with-minimums.ts';

/** The same queue for either packer: environment 0 sends everything and, with minimums, reserves some of each batch. */
function packSizes(sizes: readonly number[], batchSize: number, usesMinimums: boolean): number[] | undefined {
  const queue = sizes.map((sequenceCount) => ({ sequenceCount, envId: 0 }));
  const environments = usesMinimums ? [{ envId: 0, connected: true, minBatchAllocation: 0.5 }] : [];
  return packBatchWithMinimums(queue, batchSize, environments)?.batch.map((group) => group.sequenceCount);
}

function* listQueues(largest: number, length: number): Generator<number[]> {
  if (length === 0) return yield [];
  for (const shorter of listQueues(largest, length - 1)) {
    for (let size = 0; size <= largest; size++) yield [...shorter, size];
  }
}

describe.each([false, true])('with minimums: %s', (usesMinimums) => {
  it('agrees with a search of every small queue about which sizes are ever packed', () => {
    for (const batchSize of [1, 2, 3, 4, 5]) {
      const sizes = [...Array(batchSize + 3).keys()];
      const everPacked = new Set<number>();
      for (let length = 1; length <= 5; length++) {
        for (const queue of listQueues(batchSize + 2, length)) {
          for (const size of packSizes(queue, batchSize, usesMinimums) ?? []) everPacked.add(size);
        }
      }
      const unpackable = sizes.filter((sequenceCount) => isUnpackable({ sequenceCount, batchSize, usesMinimums }));
      expect(sizes.filter((size) => !everPacked.has(size))).toEqual(unpackable);
    }
  });

  it('finds company for every size it does not call unpackable', () => {
    for (let batchSize = 1; batchSize <= 64; batchSize++) {
      for (let size = 1; size <= batchSize; size++) {
        const queue = [size, ...Array<number>(batchSize).fill(1)];
        expect(isUnpackable({ sequenceCount: size, batchSize, usesMinimums })).toBe(false);
        expect(packSizes(queue, batchSize, usesMinimums)).toContain(size);
      }
    }
  });

  it('never sees an unpackable size in the batch of a random queue', () => {
    const anySizes = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 24, size: 'max' });
    fc.assert(
      fc.property(anySizes, fc.integer({ min: 1, max: 16 }), (sizes, batchSize) => {
        for (const sequenceCount of packSizes(sizes, batchSize, usesMinimums) ?? []) {
          expect(isUnpackable({ sequenceCount, batchSize, usesMinimums })).toBe(false);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('fills a batch with one size exactly when the size divides it', () => {
    for (let batchSize = 1; batchSize <= 32; batchSize++) {
      for (let sequenceCount = 0; sequenceCount <= batchSize + 2; sequenceCount++) {
        const queue = Array<number>(3 * batchSize).fill(sequenceCount);
        const packs = packSizes(queue, batchSize, usesMinimums) !== undefined;
        expect(fillsBatchAlone({ sequenceCount, batchSize, usesMinimums })).toBe(packs);
      }
    }
  });

  it('packs a size that does not divide the batch when others fill the gap, and stalls when they do not', () => {
    expect(packSizes([6, 2, 2, 2], 8, usesMinimums)).toEqual([6, 2]);
    expect(packSizes([5, 4, 4], 8, usesMinimums)).toBeUndefined();
  });
});
