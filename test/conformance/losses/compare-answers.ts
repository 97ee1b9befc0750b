/** Of a number below 1 the difference itself counts, of a larger one its share: a loss of 10⁹ has no tenth digit behind the point. */
export const TOLERANCE = 1e-5;

export const differenceOf = (ours: number, theirs: number): number =>
  // A NaN is as far away as anything can be.
  Number.isNaN(ours) || Number.isNaN(theirs)
    ? Number.POSITIVE_INFINITY
    : Math.abs(ours - theirs) / Math.max(1, Math.abs(theirs));

/** The largest difference of two lists of rows; infinite when their lengths differ. */
export function largestDifference(ours: readonly ArrayLike<number>[], theirs: readonly ArrayLike<number>[]): number {
  if (ours.length !== theirs.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const [index, row] of ours.entries()) {
    const other = theirs[index]!;
    if (row.length !== other.length) return Number.POSITIVE_INFINITY;
    for (let at = 0; at < row.length; at += 1) largest = Math.max(largest, differenceOf(row[at]!, other[at]!));
  }
  return largest;
}

/** What two comparisons say together, for the line of a show. */
export function describeDifferences(pairs: readonly { value: number; gradient: number }[]): {
  value: number;
  gradient: number;
  beyond: number;
} {
  return {
    value: Math.max(...pairs.map(({ value }) => value)),
    gradient: Math.max(...pairs.map(({ gradient }) => gradient)),
    beyond: pairs.filter(({ value, gradient }) => !(value <= TOLERANCE && gradient <= TOLERANCE)).length,
  };
}
