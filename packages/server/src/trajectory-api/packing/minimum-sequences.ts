import type { AllocationEnvironment } from './packable-group.ts';

/**
 * Sequences of every batch reserved per connected environment with an allocation, in registration order. The product
 * is cut toward zero, so a small share of a small batch reserves 0. Shares without a finite product reserve nothing:
 * the peers' own server fails on them.
 */
export function readMinimumSequences(options: {
  batchSize: number;
  environments: readonly AllocationEnvironment[];
}): Map<number, number> {
  const minimums = new Map<number, number>();
  for (const { envId, connected, minBatchAllocation } of options.environments) {
    if (!connected || minBatchAllocation === null) continue;
    const sequences = Math.trunc(options.batchSize * minBatchAllocation);
    if (Number.isFinite(sequences)) minimums.set(envId, sequences);
  }
  return minimums;
}

/**
 * Fits minimums into one batch: those that reserve nothing are left out, and if the others exceed the batch together
 * each shrinks by the same factor, though not below the environment's smallest packed group. Returns null when an
 * environment with a minimum has no packed group, because then nobody gets a batch.
 */
export function fitMinimums(options: {
  batchSize: number;
  minimums: ReadonlyMap<number, number>;
  /** Size of the environment's smallest packed group, undefined when none is packed. */
  smallestPacked: (envId: number) => number | undefined;
}): Map<number, number> | null {
  const fitted = new Map<number, number>();
  let total = 0;
  for (const [envId, sequences] of options.minimums) {
    if (sequences <= 0) continue;
    if (options.smallestPacked(envId) === undefined) return null;
    fitted.set(envId, sequences);
    total += sequences;
  }
  if (total <= options.batchSize) return fitted;
  const scale = options.batchSize / total;
  for (const [envId, sequences] of fitted) {
    fitted.set(envId, Math.max(options.smallestPacked(envId) as number, Math.trunc(sequences * scale)));
  }
  return fitted;
}
