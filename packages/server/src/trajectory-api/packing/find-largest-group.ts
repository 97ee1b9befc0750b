import type { PackableGroup } from './packable-group.ts';

/** Sequences in the largest group, 0 for an empty queue. A loop, because spreading a long queue overflows the stack. */
export function findLargestGroup(queue: readonly PackableGroup[]): number {
  let largest = 0;
  for (const { sequenceCount } of queue) if (sequenceCount > largest) largest = sequenceCount;
  return largest;
}
