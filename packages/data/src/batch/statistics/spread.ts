import { mean } from '@lachesis/protocol';

/** How values are spread. Bars are equally wide, from the least value to the greatest. */
export interface Spread {
  count: number;
  min: number;
  p50: number;
  p90: number;
  max: number;
  mean: number;
  histogram: number[];
}

const BARS = 24;

export interface SpreadCounter {
  add(value: number): void;
  read(): Spread;
}

/** Keeps the values: a number for each row of a run is little beside the rows. */
export function createSpread(): SpreadCounter {
  const values: number[] = [];
  return {
    add: (value) => void values.push(value),
    read() {
      const sorted = Float64Array.from(values).sort();
      const { length: count } = sorted;
      if (count === 0) return { count, min: 0, p50: 0, p90: 0, max: 0, mean: 0, histogram: [] };
      const at = (part: number): number => sorted[Math.min(count - 1, Math.floor(part * count))] ?? 0;
      const [min, max] = [at(0), at(1)];
      const isWhole = values.every(Number.isInteger);
      const bars = isWhole ? Math.min(BARS, max - min + 1) : max === min ? 1 : BARS;
      const histogram = Array.from({ length: bars }, () => 0);
      // Whole numbers have a bar each where there is room, so the width counts both ends.
      const width = isWhole ? (max - min + 1) / bars : (max - min) / bars || 1;
      for (const value of sorted) {
        const bar = Math.min(bars - 1, Math.floor((value - min) / width));
        histogram[bar] = (histogram[bar] ?? 0) + 1;
      }
      const middle = Number(mean(sorted).toPrecision(6));
      return { count, min, p50: at(0.5), p90: at(0.9), max, mean: middle, histogram };
    },
  };
}
