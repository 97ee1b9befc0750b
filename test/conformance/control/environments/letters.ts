import { defineEnvironment, runEnvironment } from '@lachesis/sdk/environment';

/** A model of random weights writes random letters: their rewards differ from the first step on, so that no warm-up is needed. */
const letters = defineEnvironment({
  name: 'letters',
  description:
    'A toy for a model of random weights: the reward is the share of letters in the first half of the alphabet.',
  defaults: { group_size: 8, batch_size: 16, max_token_length: 64, max_completion_tokens: 8 },
  items: {
    train: Array.from({ length: 64 }, (_, index) => `Write ${index}.`),
    evaluation: ['Write.'],
  },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse }) => {
    const characters = Array.from(finalResponse.toLowerCase());
    const wanted = characters.filter((character) => character >= 'a' && character <= 'm').length;
    return characters.length === 0 ? 0 : wanted / characters.length;
  },
  examples: () => ({ right: 'abcabc', wrong: 'xyzxyz' }),
});

export default letters;

if (import.meta.main) await runEnvironment(letters);
