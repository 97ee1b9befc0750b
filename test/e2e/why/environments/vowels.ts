import { defineEnvironment, runEnvironment } from '@lachesis/sdk/environment';
import { existsSync } from 'node:fs';

/** While it is there, nothing is scored. */
const hangFile = process.env['VOWELS_HANG_FILE'] ?? '';

/** Random weights write random letters, so that rewards differ; the verifier hangs while a file is there. */
const vowels = defineEnvironment({
  name: 'vowels',
  description: 'A toy whose verifier can be made to hang.',
  defaults: { group_size: 8, batch_size: 16, max_token_length: 64, max_completion_tokens: 8 },
  items: {
    train: Array.from({ length: 64 }, (_, index) => `Write ${index}.`),
    evaluation: ['Write.'],
  },
  formatPrompt: (prompt) => prompt,
  computeReward: async (_prompt, { finalResponse }) => {
    if (existsSync(hangFile)) await new Promise(() => setInterval(() => {}, 60_000));
    const characters = Array.from(finalResponse.toLowerCase());
    const wanted = characters.filter((character) => character >= 'a' && character <= 'm').length;
    return characters.length === 0 ? 0 : wanted / characters.length;
  },
  examples: () => ({ right: 'abcabc', wrong: 'xyzxyz' }),
});

export default vowels;

if (import.meta.main) await runEnvironment(vowels);
