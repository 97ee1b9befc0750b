/** The cosine of the angle between two directions; NaN, and so above no bar, when one has no length. */
export function cosine(left: readonly number[], right: readonly number[]): number {
  return dot(left, right) / (length(left) * length(right));
}

export const length = (vector: readonly number[]): number => Math.sqrt(dot(vector, vector));

function dot(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) throw new RangeError(`${left.length} and ${right.length} numbers`);
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}
