import { findSubsetSummingTo } from './find-subset-summing-to.ts';
import type { PackableGroup } from './packable-group.ts';

/**
 * Takes one set of groups that together have the environment's group size out of its buffer, or returns null when no
 * set does. The groups stay separate and keep their order. Call it once per arrival, not until null: the peers release
 * at most one set each time a group of another size arrives.
 */
export function releaseFromBuffer<G extends PackableGroup>(
  buffer: readonly G[],
  groupSize: number,
): { released: G[]; rest: G[] } | null {
  const chosen = new Set(
    findSubsetSummingTo(
      buffer.map((group) => group.sequenceCount),
      groupSize,
    ),
  );
  if (chosen.size === 0) return null;
  return {
    released: buffer.filter((_, index) => chosen.has(index)),
    rest: buffer.filter((_, index) => !chosen.has(index)),
  };
}
