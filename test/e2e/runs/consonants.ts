import { defineEnvironment } from '@lachesis/sdk/environment';

/** The share of consonants: as easy for a model of random weights as vowels, and a different task. */
export default defineEnvironment({
  name: 'consonants',
  description: 'Write consonants.',
  defaults: { group_size: 8, batch_size: 32, max_token_length: 64, max_completion_tokens: 8 },
  items: {
    train: ['Write consonants.', 'Give consonants.', 'Say consonants.', 'More consonants.'],
    evaluation: ['Some consonants.', 'Any consonants.'],
  },
  formatPrompt: (prompt: string) => prompt,
  computeReward: (_prompt, { finalResponse }) =>
    (finalResponse.match(/[b-df-hj-np-tv-z]/g)?.length ?? 0) / Math.max(1, finalResponse.length),
});
