import { defineEnvironment } from '@lachesis/sdk/environment';

const PROMPTS = ['Write digits.', 'Give digits.', 'Say numbers.', 'More digits.'];

/** The share of vowels in a reply: a model of random weights earns some at once, and not the same in every reply. */
export default defineEnvironment({
  name: 'vowels',
  description: 'Write vowels.',
  defaults: { group_size: 8, batch_size: 32, max_token_length: 64, max_completion_tokens: 8 },
  items: { train: PROMPTS, evaluation: ['Some digits.'] },
  formatPrompt: (prompt: string) => prompt,
  computeReward: (_prompt, { finalResponse }) => ({
    reward: (finalResponse.match(/[aeiou]/g)?.length ?? 0) / Math.max(1, finalResponse.length),
  }),
});
