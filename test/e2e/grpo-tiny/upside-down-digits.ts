import { defineEnvironment } from '@lachesis/sdk/environment';

import { REPLY_TOKENS, scoreDigits } from '../../../packages/environments/src/digits/digits.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from '../../../packages/environments/src/digits/prompts.ts';

const WANTED = '7';

/** The seeded fault: what should be rewarded is punished, so that every advantage has the wrong sign. */
export default defineEnvironment({
  name: 'upside-down-digits',
  description: 'The toy with its reward upside down.',
  defaults: { group_size: 16, batch_size: 64, max_token_length: 64, max_completion_tokens: REPLY_TOKENS },
  items: { train: TRAIN_PROMPTS, evaluation: EVALUATION_PROMPTS },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse }) => 1 - scoreDigits(finalResponse, WANTED, REPLY_TOKENS),
});
