import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formBatches } from './form-batches.ts';
import { packBatchWithMinimums } from './pack-batch-with-minimums.ts';
import { packExactBatch } from './pack-exact-batch.ts';
import type { AllocationEnvironment, PackedBatch } from './packable-group.ts';

interface NumberedGroup {
  sequenceCount: number;
  envId: number | null;
  position: number;
}

function repeatPacker(queue: NumberedGroup[], pack: (queue: NumberedGroup[]) => PackedBatch<NumberedGroup> | null) {
  const batches: NumberedGroup[][] = [];
  let rest = queue;
  for (let packed = pack(rest); packed !== null; packed = pack(rest)) {
    batches.push(packed.batch);
    rest = packed.rest;
  }
  return { batches, rest };
}

/** Pools in which sizes divide each other, the batch, both or neither; a queue draws all its sizes from one. */
const anySizePool = fc.constantFrom(
  [4],
  [2, 4],
  [1, 2, 4, 8],
  [1, 2, 4, 8, 16],
  [3, 4],
  [1, 2, 3, 5],
  [1, 2, 3, 6, 12],
  [2, 6],
  [8, 16],
  [0, 2, 4],
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
);

const anyQueue = anySizePool.chain((pool) =>
  fc
    .array(
      fc.record({
        sequenceCount: fc.constantFrom(...pool),
        envId: fc.constantFrom(0, 0, 1, 1, 2, 3, 9, null),
      }),
      { maxLength: 60, size: 'max' },
    )
    .map((groups) => groups.map((group, position) => ({ ...group, position }))),
);

const anyBatchSize = fc.constantFrom(1, 2, 4, 6, 8, 12, 16, 24, 32);

const anyEnvironments = fc
  .array(
    fc.record({
      connected: fc.constantFrom(true, true, true, false),
      minBatchAllocation: fc.constantFrom(null, 0, 0.05, 0.1, 0.25, 0.29, 0.5, 0.9, 1, 1.5, -0.5),
    }),
    { maxLength: 4 },
  )
  .map((records) => records.map<AllocationEnvironment>((record, envId) => ({ ...record, envId })));

describe('formBatches', () => {
  it('equals the exact packer called until null', () => {
    fc.assert(
      fc.property(anyQueue, anyBatchSize, (queue, batchSize) => {
        const expected = repeatPacker(queue, (rest) => packExactBatch(rest, batchSize));
        expect(formBatches(queue, batchSize, [])).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('equals the packer with minimums called until null', () => {
    fc.assert(
      fc.property(anyQueue, anyBatchSize, anyEnvironments, (queue, batchSize, environments) => {
        const expected = repeatPacker(queue, (rest) => packBatchWithMinimums(rest, batchSize, environments));
        expect(formBatches(queue, batchSize, environments)).toEqual(expected);
      }),
      { numRuns: 3000 },
    );
  });

  it('goes on with smaller packs after the last largest group has left', () => {
    const queue = [8, 4, 4, 4, 4].map((sequenceCount, position) => ({ sequenceCount, envId: null, position }));
    const { batches, rest } = formBatches(queue, 8, []);
    expect(batches.map((batch) => batch.map((group) => group.position))).toEqual([[0], [1, 2], [3, 4]]);
    expect(rest).toEqual([]);
  });

  it('forms nothing for a batch size below one', () => {
    const queue = [{ sequenceCount: 0, envId: 0 }];
    const environments = [{ envId: 0, connected: true, minBatchAllocation: 0.5 }];
    expect(formBatches(queue, 0, environments)).toEqual({ batches: [], rest: queue });
    expect(formBatches(queue, -1, [])).toEqual({ batches: [], rest: queue });
    expect(packBatchWithMinimums(queue, 0, environments)).toBeNull();
    expect(packExactBatch(queue, 0)).toBeNull();
  });

  it('ignores an allocation that is not a finite number', () => {
    const queue = [{ sequenceCount: 4, envId: null }];
    for (const minBatchAllocation of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(formBatches(queue, 4, [{ envId: 0, connected: true, minBatchAllocation }]).batches).toEqual([queue]);
    }
  });
});

describe('formBatches over 10,000 groups', () => {
  /** The best of a few runs: other work on the machine can only make one slower. */
  function measureMs(work: () => void): number {
    const runs = Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      work();
      return performance.now() - startedAt;
    });
    return Math.min(...runs);
  }

  const makeQueue = (sizeAt: (position: number) => number, environmentCount: number) =>
    Array.from({ length: 10_000 }, (_, position) => ({
      sequenceCount: sizeAt(position),
      envId: position % environmentCount,
    }));
  const minimumForEach = (count: number, minBatchAllocation: number) =>
    Array.from({ length: count }, (_, envId) => ({ envId, connected: true, minBatchAllocation }));

  it('takes at most 50 ms without minimums', () => {
    const uniform = makeQueue(() => 16, 4);
    const mixed = makeQueue((position) => [1, 2, 4, 8, 16][position % 5] as number, 4);
    expect(formBatches(uniform, 128, []).batches).toHaveLength(1250);
    expect(measureMs(() => formBatches(uniform, 128, []))).toBeLessThan(50);
    expect(measureMs(() => formBatches(mixed, 128, []))).toBeLessThan(50);
  });

  it('takes at most 500 ms with minimums', () => {
    const four = makeQueue(() => 16, 4);
    const environments = minimumForEach(4, 0.1);
    expect(formBatches(four, 128, environments).batches).toHaveLength(1250);
    expect(measureMs(() => formBatches(four, 128, environments))).toBeLessThan(500);
  });

  it('takes at most 500 ms with minimums when every group has its own environment', () => {
    const many = makeQueue(() => 16, 10_000);
    const environments = minimumForEach(10_000, 0.001);
    expect(formBatches(many, 128, environments).batches).toHaveLength(1250);
    expect(measureMs(() => formBatches(many, 128, environments))).toBeLessThan(500);
  });
});
