import { scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

export interface PatternRewardOptions {
  /** The answer has to match it somewhere; write `^` and `$` for the whole of it. */
  readonly pattern: RegExp;
  /** When given, this group of the last match has to be the expected answer, whatever its case. */
  readonly group?: string;
}

/** A longer reply is cut from the front: backtracking over a book is what hangs a grader. */
const MAX_CHARACTERS = 20_000;

/** 1 when the answer matches, else 0. */
export function createPatternReward({ pattern, group }: PatternRewardOptions): Reward {
  // A pattern with `g` or `y` remembers where it stopped; one grader serves many answers at once.
  const flags = pattern.flags.replaceAll(/[gy]/g, '');
  const all = new RegExp(pattern.source, `${flags}g`);
  return ({ answer, expected }) => {
    const matches = [...answer.slice(-MAX_CHARACTERS).matchAll(all)];
    if (group === undefined) return scored(matches.length > 0 ? 1 : 0);
    const found = matches.at(-1)?.groups?.[group]?.trim().toLowerCase();
    return scored(found !== undefined && found === String(expected).trim().toLowerCase() ? 1 : 0);
  };
}
