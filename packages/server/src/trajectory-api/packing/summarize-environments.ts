import { readMinimumSequences } from './minimum-sequences.ts';
import type { AllocationEnvironment } from './packable-group.ts';

/** An environment record as far as its status reply depends on it. */
export interface StatusEnvironment extends AllocationEnvironment {
  /** Tokens of context the environment registered; scales its weight. */
  readonly maxContextLength: number;
  readonly weight: number;
  /** Sequences per group: as registered, or larger once a status reply has seen larger groups queued. */
  readonly groupSize: number;
}

/**
 * What all environments together contribute to a status reply. It changes only when an environment registers, connects
 * or disconnects, or with the batch size: keep one and pass it on, so that a reply does not walk the environments.
 */
export interface EnvironmentsSummary {
  /** Context-scaled weights of the connected environments; negative weights count as 0. */
  readonly totalWeight: number;
  /** Share of a batch no minimum reserves. Negative allocations, which peers may register, raise it above 1. */
  readonly unallocatedFraction: number;
  /** Reserved sequences per connected environment with an allocation. */
  readonly minimumSequences: ReadonlyMap<number, number>;
}

/** Adds in registration order: another order rounds differently, and peers see the last digit. */
export function summarizeEnvironments(options: {
  batchSize: number;
  environments: readonly StatusEnvironment[];
}): EnvironmentsSummary {
  const minimumSequences = readMinimumSequences(options);
  let totalWeight = 0;
  let allocated = 0;
  for (const { connected, envId, maxContextLength, minBatchAllocation, weight } of options.environments) {
    if (!connected) continue;
    totalWeight += maxContextLength * (weight > 0 ? weight : 0);
    if (minBatchAllocation !== null && minimumSequences.has(envId)) allocated += minBatchAllocation;
  }
  return { totalWeight, unallocatedFraction: 1 - Math.min(allocated, 1), minimumSequences };
}
