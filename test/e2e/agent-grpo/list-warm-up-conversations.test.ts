import { expect, test } from 'vitest';

import { listWarmUpConversations } from './list-warm-up-conversations.ts';
import { PLACES } from './look.ts';

const PER_STEP = 16;

test('each step calls at every letter equally often, and answers at once with every digit', () => {
  const conversations = listWarmUpConversations({ steps: 3, seed: 1 });
  expect(conversations).toHaveLength(3 * PER_STEP);
  for (let start = 0; start < conversations.length; start += PER_STEP) {
    const said = conversations.slice(start, start + PER_STEP).map((messages) => JSON.stringify(messages.slice(1)));
    for (const [at, digit] of Object.entries(PLACES)) {
      expect(said.filter((each) => each.includes(`{\\"at\\":\\"${at}\\"}`))).toHaveLength(3);
      expect(said.filter((each) => each === JSON.stringify([{ role: 'assistant', content: digit }]))).toHaveLength(1);
    }
  }
});

test('the same seed gives the same conversations, and another seed others', () => {
  const [first, again, other] = [1, 1, 2].map((seed) => JSON.stringify(listWarmUpConversations({ steps: 2, seed })));
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
