import { EnvironmentError } from '../environment-error.ts';
import { scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

export interface WordLimitRewardOptions {
  readonly maxWords: number;
  readonly minWords?: number;
  /** `cliff`: 0 beyond the limit. `slope`: falls to 0 at twice the limit. Default `cliff`. */
  readonly beyond?: 'cliff' | 'slope';
}

/** 1 when the answer has at least `minWords` and at most `maxWords` words; an empty answer has none and gets 0. */
export function createWordLimitReward({ maxWords, minWords = 1, beyond = 'cliff' }: WordLimitRewardOptions): Reward {
  if (!(maxWords >= minWords && minWords >= 0))
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `A word limit from ${minWords} to ${maxWords} words cannot be kept.`,
      hint: 'Give maxWords of at least minWords.',
    });
  return ({ answer }) => {
    const words = countWords(answer);
    const signals = { words };
    if (words < minWords) return scored(0, signals);
    if (words <= maxWords) return scored(1, signals);
    return scored(beyond === 'cliff' ? 0 : Math.max(0, 2 - words / maxWords), signals);
  };
}

/** Words as Unicode cuts them: marks do not count, and scripts without spaces are cut as their readers would. */
export function countWords(text: string): number {
  let words = 0;
  for (const { isWordLike } of new Intl.Segmenter('en', { granularity: 'word' }).segment(text))
    if (isWordLike === true) words += 1;
  return words;
}
