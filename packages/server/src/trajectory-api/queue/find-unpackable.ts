import { fillsBatchAlone, isUnpackable } from '../packing/is-unpackable.ts';
import { resolveEnvironment, usesMinimums } from './environments.ts';
import type { QueueState } from './state.ts';

export interface ArrivingGroup {
  envId: number | null;
  sequenceCount: number;
  /** Rollouts that its sequences name; absent when they name none, and then each sequence is one. */
  rolloutCount?: number | undefined;
  nonFiniteFields: readonly string[];
}

/**
 * What a group counts for in its environment's group size and in a batch. A rollout whose history was split has several
 * sequences and is still one attempt.
 */
export function sizeOf({ rolloutCount, sequenceCount }: Pick<ArrivingGroup, 'rolloutCount' | 'sequenceCount'>): number {
  return rolloutCount ?? sequenceCount;
}

/** Why a group would break or hold up batches, or null when it would not. */
export function findUnpackable(state: QueueState, group: ArrivingGroup): string | null {
  if (group.nonFiniteFields.length > 0) return `not-finite: ${group.nonFiniteFields.join(', ')}`;
  if (group.sequenceCount === 0) return 'empty: no sequences';
  const environment = resolveEnvironment(state, group.envId);
  const size = sizeOf(group);
  if (environment !== undefined && size > environment.groupSize) {
    const noun = group.rolloutCount === undefined ? 'sequences' : 'rollouts';
    return `larger-than-group-size: ${size} ${noun} where the environment registered ${environment.groupSize}`;
  }
  const batchSize = state.record.registration?.batchSize;
  if (batchSize === undefined || !holdsUpBatches(state, size, batchSize)) return null;
  return describeUnfit(size, batchSize);
}

/**
 * Without minimum allocations a size that does not divide the batch makes packs of its own size and then overshoots:
 * everything behind it waits. With minimums packs are cut, so only sizes that fit nowhere hold anything up.
 */
export function holdsUpBatches(state: QueueState, size: number, batchSize: number): boolean {
  const options = { sequenceCount: size, batchSize, usesMinimums: usesMinimums(state) };
  return options.usesMinimums ? isUnpackable(options) : !fillsBatchAlone(options);
}

export function describeUnfit(size: number, batchSize: number): string {
  return `unfit-size: groups of ${size} do not make up a batch of ${batchSize}`;
}
