/** The arithmetic mean, 0 of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) sum += values[index]!;
  return values.length === 0 ? 0 : sum / values.length;
}
