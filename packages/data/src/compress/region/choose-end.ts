import { type Region, snapBoundary } from './find-compressible.ts';
import type { Turn } from './turn.ts';

export interface ChooseEndOptions {
  readonly turns: readonly Turn[];
  /** Of each turn. */
  readonly tokens: readonly number[];
  /** What may be summarised. */
  readonly within: Region;
  /** How many tokens have to go. */
  readonly needed: number;
}

/** Where the region ends: as soon as enough tokens are in it, at a place that cuts no call from its answer. Undefined when there is none. */
export function chooseEnd({ turns, tokens, within, needed }: ChooseEndOptions): number | undefined {
  let sum = 0;
  let end = within.start;
  while (end < within.end && (end === within.start || sum < needed)) {
    sum += tokens[end] ?? 0;
    end += 1;
  }
  const snapped = snapBoundary(turns, end, within);
  return snapped > within.start ? snapped : undefined;
}
