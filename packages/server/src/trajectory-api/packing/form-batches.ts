import { formBatchesWithMinimums } from './form-batches-with-minimums.ts';
import { formExactBatches } from './form-exact-batches.ts';
import { readMinimumSequences } from './minimum-sequences.ts';
import type { AllocationEnvironment, PackableGroup } from './packable-group.ts';

/**
 * Forms every batch the queue holds: the same batches in the same order, and the same rest, as calling
 * `packBatchWithMinimums` until null, without going through the queue again for each.
 */
export function formBatches<G extends PackableGroup>(
  queue: readonly G[],
  batchSize: number,
  environments: readonly AllocationEnvironment[],
): { batches: G[][]; rest: G[] } {
  if (batchSize < 1) return { batches: [], rest: [...queue] };
  const minimums = readMinimumSequences({ batchSize, environments });
  const formed =
    minimums.size === 0 ? formExactBatches(queue, batchSize) : formBatchesWithMinimums(queue, batchSize, minimums);
  const taken = new Set(formed.flat());
  return {
    batches: formed.map((positions) => positions.map((position) => queue[position] as G)),
    rest: queue.filter((_, position) => !taken.has(position)),
  };
}
