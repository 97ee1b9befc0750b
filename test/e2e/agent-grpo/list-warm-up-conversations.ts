import { createRandom } from '@lachesis/sdk/environment';
import type { ChatMessage } from '@lachesis/protocol';

import { PLACES, PROMPTS } from './look.ts';

/** How often each letter and each digit is in one step: three quarters call, and calling at all is left to be learnt. */
const CALLS_OF_EACH_LETTER = 3;
const ANSWERS_OF_EACH_DIGIT = 1;

/**
 * Conversations that teach the form and nothing else: most call the tool, at any letter, and repeat what it says; the others
 * answer at once with any digit. Whether to call, and where to look, is left to the reward.
 *
 * Each step holds every letter equally often, and every digit; which prompt they follow is drawn. Where letters were drawn too,
 * a hundred steps left seed 1 with a first reward of 0.016, and even odds would give 0.12: many groups had nothing to learn from.
 */
export function listWarmUpConversations({ steps, seed }: { steps: number; seed: number }): ChatMessage[][] {
  const random = createRandom('look warm-up', seed);
  return Array.from({ length: steps }, () =>
    listReplies().map((replies, index): ChatMessage[] => [
      { role: 'user', content: PROMPTS[index % PROMPTS.length] ?? '' },
      ...replies,
    ]),
  ).flat();

  function listReplies(): ChatMessage[][] {
    const calls = Object.entries(PLACES).flatMap(([at, digit]) => repeat(CALLS_OF_EACH_LETTER, callAt(at, digit)));
    const answers = Object.values(PLACES).flatMap((content): ChatMessage[][] =>
      repeat(ANSWERS_OF_EACH_DIGIT, [{ role: 'assistant', content }]),
    );
    return random.shuffle([...calls, ...answers]);
  }
}

const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);

const callAt = (at: string, digit: string): ChatMessage[] => [
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call', type: 'function', function: { name: 'look', arguments: JSON.stringify({ at }) } }],
  },
  { role: 'tool', tool_call_id: 'call', content: digit },
  { role: 'assistant', content: digit },
];
