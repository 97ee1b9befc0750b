import { createRandom } from '@lachesis/sdk/environment';
import type { ChatMessage } from '@lachesis/protocol';

import { REPLY_TOKENS } from '../../../packages/environments/src/digits/digits.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from '../../../packages/environments/src/digits/prompts.ts';
import { WANTED } from '../reward-tiny/list-pairs.ts';

/** Few of them: taught ten, three tokens of four that the tiny model writes are no digit, and more steps do not help. */
const DIGITS: readonly string[] = [WANTED, '1', '3', '9', '5'];

/** Conversations that teach a model to write five digits. At each place of a reply they come in decks: sixteen dice in a step are uneven. */
export function listTalk({ count, seed }: { count: number; seed: number }): ChatMessage[][] {
  const random = createRandom('talk', seed);
  const prompts = [...TRAIN_PROMPTS, ...EVALUATION_PROMPTS];
  const decks = Array.from({ length: REPLY_TOKENS }, (): string[] => []);
  const draw = (deck: string[]): string => {
    if (deck.length === 0) deck.push(...random.shuffle(DIGITS));
    return deck.pop() ?? '';
  };
  return Array.from({ length: count }, (_unused, index) => [
    { role: 'user', content: prompts[index % prompts.length] ?? '' },
    { role: 'assistant', content: decks.map(draw).join('') },
  ]);
}
