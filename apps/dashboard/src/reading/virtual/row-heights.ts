/** How tall each row is, with sums that stay quick when one of a hundred thousand changes (a Fenwick tree). */
export interface RowHeights {
  readonly total: number;
  heightOf(index: number): number;
  /** Where a row begins. */
  offsetOf(index: number): number;
  /** The row at a height; the last one for what lies below all of them. */
  indexAt(offset: number): number;
  set(index: number, height: number): void;
}

/** Rows that are all as tall as each other. */
export function createEvenHeights(count: number, height: number): RowHeights {
  return {
    total: count * height,
    heightOf: () => height,
    offsetOf: (index) => index * height,
    indexAt: (offset) => clamp(Math.floor(offset / height), count),
    set: () => undefined,
  };
}

/** Rows of which each has a guess until it was measured. */
export function createMeasuredHeights(count: number, guess: (index: number) => number): RowHeights {
  const heights = new Float64Array(count);
  const sums = new Float64Array(count + 1);
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const height = guess(index);
    heights[index] = height;
    total += height;
    sums[index + 1] = height;
  }
  for (let place = 1; place <= count; place += 1) {
    const above = place + (place & -place);
    if (above <= count) sums[above] = (sums[above] ?? 0) + (sums[place] ?? 0);
  }
  const highestBit = count === 0 ? 0 : 2 ** Math.floor(Math.log2(count));
  return {
    get total() {
      return total;
    },
    heightOf: (index) => heights[index] ?? 0,
    offsetOf(index) {
      let sum = 0;
      for (let place = Math.min(index, count); place > 0; place -= place & -place) sum += sums[place] ?? 0;
      return sum;
    },
    indexAt(offset) {
      let place = 0;
      let rest = offset;
      for (let bit = highestBit; bit > 0; bit >>= 1) {
        const next = place + bit;
        if (next <= count && (sums[next] ?? 0) <= rest) {
          place = next;
          rest -= sums[next] ?? 0;
        }
      }
      return clamp(place, count);
    },
    set(index, height) {
      const change = height - (heights[index] ?? 0);
      if (change === 0) return;
      heights[index] = height;
      total += change;
      for (let place = index + 1; place <= count; place += place & -place) sums[place] = (sums[place] ?? 0) + change;
    },
  };
}

const clamp = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));
