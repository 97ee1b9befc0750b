import { fillsBatchAlone, isUnpackable } from '../packing/is-unpackable.ts';
import { resolveEnvironment, usesMinimums } from './environments.ts';
import type { QueueState } from './state.ts';

export interface ArrivingGroup {
  envId: number | null;
  sequenceCount: number;
  nonFiniteFields: readonly string[];
}

/** Why a group would break or hold up batches, or null when it would not. */
export function findPoison(state: QueueState, group: ArrivingGroup): string | null {
  if (group.nonFiniteFields.length > 0) return `not-finite: ${group.nonFiniteFields.join(', ')}`;
  if (group.sequenceCount === 0) return 'empty: no sequences';
  const environment = resolveEnvironment(state, group.envId);
  if (environment !== undefined && group.sequenceCount > environment.groupSize) {
    return `larger-than-group-size: ${group.sequenceCount} sequences where the environment registered ${environment.groupSize}`;
  }
  const batchSize = state.record.registration?.batchSize;
  if (batchSize === undefined || !holdsUpBatches(state, group.sequenceCount, batchSize)) return null;
  return describeUnfit(group.sequenceCount, batchSize);
}

/**
 * Without minimum allocations a size that does not divide the batch makes packs of its own size and then overshoots:
 * everything behind it waits. With minimums packs are cut, so only sizes that fit nowhere hold anything up.
 */
export function holdsUpBatches(state: QueueState, sequenceCount: number, batchSize: number): boolean {
  const options = { sequenceCount, batchSize, usesMinimums: usesMinimums(state) };
  return options.usesMinimums ? isUnpackable(options) : !fillsBatchAlone(options);
}

export function describeUnfit(sequenceCount: number, batchSize: number): string {
  return `unfit-size: groups of ${sequenceCount} do not make up a batch of ${batchSize}`;
}
