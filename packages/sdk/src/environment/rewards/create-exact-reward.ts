import { scored } from '../outcome.ts';
import { readExpected } from './read-expected.ts';
import type { Reward } from './reward.ts';

export interface ExactRewardOptions {
  /** `Paris` is `paris`. Default true. */
  readonly ignoreCase?: boolean;
  /** White space at the ends and its amount between words do not count. Default true. */
  readonly ignoreSpace?: boolean;
  /** A full stop, quotes or stars around the answer do not count. Default false. */
  readonly ignorePunctuation?: boolean;
}

/** 1 when the answer is the expected text, else 0. */
export function createExactReward(options: ExactRewardOptions = {}): Reward {
  const { ignoreCase = true, ignoreSpace = true, ignorePunctuation = false } = options;
  const simplify = (text: string): string => {
    let simple = text.normalize('NFC');
    if (ignoreCase) simple = simple.toLowerCase();
    if (ignoreSpace) simple = simple.replaceAll(/\s+/g, ' ').trim();
    return ignorePunctuation ? simple.replaceAll(/^[\s"'“”‘’`*_.,;:!?()]+|[\s"'“”‘’`*_.,;:!?()]+$/g, '') : simple;
  };
  return ({ answer, expected }) => {
    const wanted = readExpected(expected, 'exact');
    if (typeof wanted !== 'string') return wanted;
    return scored(simplify(answer) === simplify(wanted) ? 1 : 0);
  };
}
