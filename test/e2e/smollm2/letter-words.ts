import { defineEnvironment } from '@lachesis/sdk/environment';

import { makeLetterTask, REPLY_TOKENS, scoreWords } from './letter-task.ts';

/** A small task for a real model: it knows such words, and at first about every sixth is one. */
export default defineEnvironment({
  name: 'letter-words',
  description: 'Words that begin with the letter that was asked for; the reward is their share.',
  defaults: { group_size: 8, batch_size: 64, max_token_length: 128, max_completion_tokens: REPLY_TOKENS },
  items: ({ config }) => {
    const { train, heldOut } = makeLetterTask(config.seed);
    return { train, evaluation: heldOut };
  },
  formatPrompt: ({ prompt }) => prompt,
  computeReward: ({ letter }, { finalResponse }) => scoreWords(finalResponse, letter),
});
