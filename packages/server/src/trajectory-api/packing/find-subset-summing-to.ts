/**
 * Chooses which buffered groups leave together: positions of `sizes` that add up to exactly `target`, ascending, or
 * none. When several choices exist the peers' one is made: front to back first, and only if that misses the target,
 * from the back, taking each group that still leaves a reachable remainder.
 */
export function findSubsetSummingTo(sizes: readonly number[], target: number): number[] {
  return takeFromFront(sizes, target) ?? takeFromBack(sizes, target);
}

function takeFromFront(sizes: readonly number[], target: number): number[] | null {
  const chosen: number[] = [];
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    if (sum + size > target) continue;
    chosen.push(index);
    sum += size;
    if (sum === target) return chosen;
  }
  return null;
}

function takeFromBack(sizes: readonly number[], target: number): number[] {
  const usable = sizes.reduce((sum, size) => (size <= target ? sum + size : sum), 0);
  // Also keeps a huge registered group size from sizing the table below: it is never larger than what is buffered.
  if (target < 0 || usable < target) return [];

  const reachedBy = countNeededToReach(sizes, target);
  if (reachedBy[target] === UNREACHED) return [];
  const chosen: number[] = [];
  let remainder = target;
  for (let index = sizes.length - 1; index >= 0; index--) {
    const size = sizes[index] as number;
    if (size > remainder || (reachedBy[remainder - size] as number) > index) continue;
    chosen.push(index);
    remainder -= size;
  }
  return chosen.reverse();
}

const UNREACHED = 0xffffffff;

/**
 * For each sum up to `target`, how many of the first groups must be available before some of them make it. A sum that
 * is reachable stays so with more groups, so this one row holds the whole groups × sums table.
 */
function countNeededToReach(sizes: readonly number[], target: number): Uint32Array {
  const reachedBy = new Uint32Array(target + 1).fill(UNREACHED);
  reachedBy[0] = 0;
  for (const [index, size] of sizes.entries()) {
    for (let sum = target; sum >= size; sum--) {
      if (reachedBy[sum] === UNREACHED && (reachedBy[sum - size] as number) <= index) reachedBy[sum] = index + 1;
    }
  }
  return reachedBy;
}
