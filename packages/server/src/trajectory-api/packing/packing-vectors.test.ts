import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findSubsetSummingTo } from './find-subset-summing-to.ts';
import { formBatches } from './form-batches.ts';
import { packBatchWithMinimums } from './pack-batch-with-minimums.ts';
import { packExactBatch } from './pack-exact-batch.ts';
import type { AllocationEnvironment, PackedBatch } from './packable-group.ts';

interface PackingVectors {
  find_groups: { sizes: number[]; target: number; indices: number[] }[];
  exact: { sizes: number[]; batch_size: number; batch: number[] | null; left: number[] }[];
  minalloc: {
    sizes: number[];
    env_ids: (number | null)[];
    envs: { registered_id: number; connected: boolean; min_batch_allocation: number | null }[];
    batch_size: number;
    batch: number[] | null;
    left: number[];
  }[];
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../../../test/conformance/atropos/data/packing-vectors.json', import.meta.url), 'utf8'),
) as PackingVectors;

function makeQueue(sizes: readonly number[], envIds: readonly (number | null)[]) {
  return sizes.map((sequenceCount, position) => ({ sequenceCount, envId: envIds[position] ?? null, position }));
}

/** Upstream returns the untouched queue beside "no batch"; ours returns null. */
function readPositions(sizes: readonly number[], packed: PackedBatch<{ position: number }> | null) {
  if (packed === null) return { batch: null, left: [...sizes.keys()] };
  return { batch: packed.batch.map((group) => group.position), left: packed.rest.map((group) => group.position) };
}

function readFirstBatch(formed: { batches: { position: number }[][] }) {
  return formed.batches[0]?.map((group) => group.position) ?? null;
}

// Answers are compared inside their vector, so that a failure shows the case it belongs to.
describe('recorded packing answers of atroposlib', () => {
  it('holds all 1,300 cases', () => {
    expect([vectors.find_groups.length, vectors.exact.length, vectors.minalloc.length]).toEqual([300, 400, 600]);
  });

  it('chooses the recorded subset of a buffer', () => {
    for (const vector of vectors.find_groups) {
      expect({ ...vector, indices: findSubsetSummingTo(vector.sizes, vector.target) }).toEqual(vector);
    }
  });

  it('packs the recorded batch without minimums', () => {
    for (const vector of vectors.exact) {
      const { sizes, batch_size: batchSize } = vector;
      const queue = makeQueue(sizes, []);
      expect({ ...vector, ...readPositions(sizes, packExactBatch(queue, batchSize)) }).toEqual(vector);
      expect({ ...vector, batch: readFirstBatch(formBatches(queue, batchSize, [])) }).toEqual(vector);
    }
  });

  it('packs the recorded batch with minimums', () => {
    for (const vector of vectors.minalloc) {
      const { sizes, batch_size: batchSize } = vector;
      const queue = makeQueue(sizes, vector.env_ids);
      const environments = vector.envs.map<AllocationEnvironment>((env) => ({
        envId: env.registered_id,
        connected: env.connected,
        minBatchAllocation: env.min_batch_allocation,
      }));
      const packed = packBatchWithMinimums(queue, batchSize, environments);
      expect({ ...vector, ...readPositions(sizes, packed) }).toEqual(vector);
      expect({ ...vector, batch: readFirstBatch(formBatches(queue, batchSize, environments)) }).toEqual(vector);
    }
  });
});
