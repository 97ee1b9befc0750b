import { readFileSync } from 'node:fs';

import { findSubsetSummingTo } from '../../../packages/server/src/trajectory-api/packing/find-subset-summing-to.ts';
import { packBatchWithMinimums } from '../../../packages/server/src/trajectory-api/packing/pack-batch-with-minimums.ts';
import { packExactBatch } from '../../../packages/server/src/trajectory-api/packing/pack-exact-batch.ts';

interface PackedVector {
  readonly sizes: readonly number[];
  readonly batch_size: number;
  /** Indices into `sizes`; null when no batch can be formed. */
  readonly batch: readonly number[] | null;
  readonly left: readonly number[];
}

interface PackingVectors {
  readonly find_groups: readonly { sizes: readonly number[]; target: number; indices: readonly number[] }[];
  readonly exact: readonly PackedVector[];
  readonly minalloc: readonly (PackedVector & {
    readonly env_ids: readonly (number | null)[];
    readonly envs: readonly { registered_id: number; connected: boolean; min_batch_allocation: number | null }[];
  })[];
}

export interface PackingOutcome {
  readonly cases: number;
  readonly differences: readonly string[];
}

/** Asks our packing for what the original's functions answered, case by case. */
export function comparePackingVectors(): PackingOutcome {
  const vectors = JSON.parse(
    readFileSync(new URL('data/packing-vectors.json', import.meta.url), 'utf8'),
  ) as PackingVectors;
  const differences: string[] = [];
  const compare = (name: string, want: unknown, got: unknown): void => {
    const [wanted, gotten] = [JSON.stringify(want), JSON.stringify(got)];
    if (wanted !== gotten) differences.push(`${name}: want ${wanted}, got ${gotten}`);
  };
  for (const [index, { sizes, target, indices }] of vectors.find_groups.entries()) {
    compare(`subset ${index}`, indices, findSubsetSummingTo(sizes, target));
  }
  for (const [index, vector] of vectors.exact.entries()) {
    const queue = vector.sizes.map((sequenceCount, position) => ({ sequenceCount, envId: 0, position }));
    compare(`exact ${index}`, readVector(vector), readPacked(packExactBatch(queue, vector.batch_size), queue));
  }
  for (const [index, vector] of vectors.minalloc.entries()) {
    const queue = vector.sizes.map((sequenceCount, position) => ({
      sequenceCount,
      envId: vector.env_ids[position] ?? null,
      position,
    }));
    const environments = vector.envs.map((env) => ({
      envId: env.registered_id,
      connected: env.connected,
      minBatchAllocation: env.min_batch_allocation,
    }));
    const packed = packBatchWithMinimums(queue, vector.batch_size, environments);
    compare(`minimums ${index}`, readVector(vector), readPacked(packed, queue));
  }
  return { cases: vectors.find_groups.length + vectors.exact.length + vectors.minalloc.length, differences };
}

interface Placed {
  readonly position: number;
}

function readVector({ batch, left }: PackedVector): unknown {
  return { batch, left };
}

function readPacked(
  packed: { batch: readonly Placed[]; rest: readonly Placed[] } | null,
  queue: readonly Placed[],
): unknown {
  const positions = (groups: readonly Placed[]): number[] => groups.map(({ position }) => position);
  return { batch: packed === null ? null : positions(packed.batch), left: positions(packed?.rest ?? queue) };
}
