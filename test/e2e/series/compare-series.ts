import type { SeriesTable } from './collect-series.ts';

/** Every point that one place has and the other has not, or has otherwise. Empty when both hold the same. */
export function compareSeries(
  wanted: SeriesTable,
  found: SeriesTable,
  { toWanted = (value) => value }: { toWanted?: (value: number) => number } = {},
): string[] {
  const differences: string[] = [];
  for (const series of new Set([...wanted.keys(), ...found.keys()])) {
    const [left, right] = [wanted.get(series), found.get(series)];
    for (const step of new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])) {
      const [value, other] = [left?.get(step), right?.get(step)];
      const isSame = value !== undefined && other !== undefined && Object.is(toWanted(value), toWanted(other));
      if (!isSame) differences.push(`${series} at step ${step}: ${value ?? 'nothing'} and ${other ?? 'nothing'}`);
    }
  }
  return differences;
}
