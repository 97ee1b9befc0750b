import type { ReadSymbol } from './evaluate-numeric.ts';

/** Small and large. At the first three every symbol is positive; after them each has a sign of its own. */
const SCALES = [0.83, 2.41, 0.37, 0.77, 3.89, 2.27, 0.59, 1.31, 0.91, 1.73, 0.43, 2.89] as const;
const POSITIVE_POINTS = 3;

export const POINT_COUNT = SCALES.length;

/**
 * The value of each symbol at a point: the same on every machine, different for every name. Signs differ between symbols too,
 * or |xy| would be xy.
 */
export function readPoint(index: number): ReadSymbol {
  const scale = SCALES[index % POINT_COUNT] ?? 1;
  return (name) => {
    const hash = hashName(`${index} ${name}`);
    const sign = index >= POSITIVE_POINTS && hash % 2 === 1 ? -1 : 1;
    return sign * scale * (0.5 + hash / 2 ** 33);
  };
}

/** FNV-1a. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193) >>> 0;
  // The last letters alone would not reach the high bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0;
}
