/** How many tokens two sequences share from their beginning on. */
export function countShared(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const end = Math.min(left.length, right.length);
  let at = 0;
  while (at < end && left[at] === right[at]) at += 1;
  return at;
}
