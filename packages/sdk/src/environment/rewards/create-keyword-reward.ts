import { type Outcome, failed, scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

/** Words that say nothing about an answer. */
const COMMON = new Set('a an and are as at be by for from in is it of on or that the this to was were with'.split(' '));

/** The share of the expected words that the answer holds. A rough heuristic: name it where it stands in for a judge. */
export function createKeywordReward(): Reward {
  return ({ answer, expected }): Outcome => {
    const wanted = new Set(listWords([expected].flat().join(' ')));
    if (wanted.size === 0) return failed('verifier', 'the keyword reward has no expected words to look for');
    const found = new Set(listWords(answer));
    return scored([...wanted].filter((word) => found.has(word)).length / wanted.size);
  };
}

const listWords = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word));
