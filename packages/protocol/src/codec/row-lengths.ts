import type { FloatValues, IntValues, Nested } from './group-payload.ts';
import { faultIn } from './packed-group-error.ts';
import type { SectionId } from './sections.ts';

/** The sum of the lengths. A sum past 2^53 loses its last digits, but no such number of values exists to compare it with. */
function sumLengths(lengths: Uint32Array): number {
  let sum = 0;
  for (let index = 0; index < lengths.length; index += 1) sum += lengths[index]!;
  return sum;
}

export function areEqualLengths(left: Uint32Array, right: Uint32Array): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}

/** Refuses lengths that do not add up to the number of values they divide. */
export function requireSum(id: SectionId, count: number, lengths: Uint32Array): void {
  const sum = sumLengths(lengths);
  if (sum !== count) throw faultIn(id, `has ${count} values but lengths that add up to ${sum}`);
}

export function requireNestedSums(id: SectionId, nested: Nested<IntValues | FloatValues>): void {
  requireSum(id, nested.values.length, nested.itemLengths);
  requireSum(id, nested.itemLengths.length, nested.rowLengths);
}
