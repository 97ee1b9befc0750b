import { makePreference } from '@lachesis/protocol';
import type { PreferenceRecord } from '@lachesis/protocol';
import { createRandom } from '@lachesis/sdk/environment';

import { REPLY_TOKENS } from '../../../packages/environments/src/digits/digits.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from '../../../packages/environments/src/digits/prompts.ts';

/** The taste that is to be learnt: of two replies the one with more of it is better. Nobody tells the model. */
export const WANTED = '7';

export const countWanted = (reply: string): number => reply.split(WANTED).length - 1;

export interface ListPairsOptions {
  readonly count: number;
  readonly seed: number;
  /** Held-out pairs ask in words that were not trained on. */
  readonly split: 'eval' | 'train';
}

/** Pairs of replies of eight digits. How much of the wanted one a reply has is as often much as little. */
export function listPairs({ count, seed, split }: ListPairsOptions): PreferenceRecord[] {
  const random = createRandom('taste', seed, split);
  const prompts = split === 'train' ? TRAIN_PROMPTS : EVALUATION_PROMPTS;
  const write = (): string => {
    const share = random.integer(0, 9);
    return Array.from({ length: REPLY_TOKENS }, () =>
      random.integer(0, 9) < share ? WANTED : String((Number(WANTED) + 1 + random.integer(0, 8)) % 10),
    ).join('');
  };
  return Array.from({ length: count }, (_unused, index) => {
    let [better, worse] = [write(), write()];
    while (countWanted(better) === countWanted(worse)) [better, worse] = [write(), write()];
    if (countWanted(better) < countWanted(worse)) [better, worse] = [worse, better];
    return makePreference({
      id: `taste/${split}/${index}`,
      prompt: [{ role: 'user', content: prompts[index % prompts.length] ?? '' }],
      chosen: [{ role: 'assistant', content: better }],
      rejected: [{ role: 'assistant', content: worse }],
      split,
    });
  });
}
