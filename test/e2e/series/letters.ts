import { defineEnvironment } from '@lachesis/sdk/environment';

/** The share of vowels, which a model of random weights earns some of at once; with a signal and a metric of its own. */
export default defineEnvironment({
  name: 'letters',
  description: 'Write vowels.',
  defaults: { group_size: 8, batch_size: 32, max_token_length: 64, max_completion_tokens: 8 },
  items: {
    train: ['Write letters.', 'Give letters.', 'Say letters.', 'More letters.'],
    evaluation: ['Some letters.', 'Any letters.', 'Few letters.', 'All letters.'],
  },
  formatPrompt: (prompt: string) => prompt,
  computeReward(_prompt, { finalResponse }) {
    const vowels = finalResponse.match(/[aeiou]/g)?.length ?? 0;
    return {
      reward: vowels / Math.max(1, finalResponse.length),
      signals: { has_vowel: vowels > 0 ? 1 : 0 },
    };
  },
  metrics: (rollouts) => ({
    letters: rollouts.reduce((sum, { result }) => sum + result.finalResponse.length, 0) / rollouts.length,
  }),
});
