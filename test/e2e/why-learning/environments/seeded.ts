import { defineEnvironment, runEnvironment } from '@lachesis/sdk/environment';
import { z } from 'zod';

import { REPLY_TOKENS, scoreDigits } from '../../../../packages/environments/src/digits/digits.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from '../../../../packages/environments/src/digits/prompts.ts';

const [WANTED, OTHER] = ['7', '2'];

let graded = 0;

/** The toy with one fault at a time: what keeps a model from learning it is known, because it was put there. */
const seeded = defineEnvironment({
  name: 'seeded',
  description: 'The toy of digits with a fault of the author in it.',
  config: z.object({
    fault: z
      .enum(['none', 'constant', 'ends', 'parses', 'breaks', 'other-evaluation'])
      .default('none')
      .describe('what is wrong with the reward'),
  }),
  defaults: { group_size: 16, batch_size: 64, max_token_length: 64, max_completion_tokens: REPLY_TOKENS },
  items: { train: TRAIN_PROMPTS, evaluation: EVALUATION_PROMPTS },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse, finishedNaturally }, { config, split }) => {
    const share = scoreDigits(finalResponse, WANTED, REPLY_TOKENS);
    switch (config.fault) {
      case 'constant':
        return 0.5;
      // Only a whole answer counts, and none is ever whole.
      case 'ends':
        return finishedNaturally ? share : 0;
      case 'parses': {
        const answer = /<answer>(\d+)<\/answer>/.exec(finalResponse)?.[1];
        return {
          reward: answer === undefined ? 0 : scoreDigits(answer, WANTED, REPLY_TOKENS),
          signals: { parsed: answer === undefined ? 0 : 1 },
        };
      }
      case 'breaks':
        // One grade in six, whatever the reply says: a retry succeeds, as it does with a judge that is overloaded.
        graded += 1;
        if (graded % 6 === 0) throw new Error('the judge answers 503');
        return share;
      case 'other-evaluation':
        return split === 'train' ? share : scoreDigits(finalResponse, OTHER, REPLY_TOKENS);
      default:
        return share;
    }
  },
  examples: () => ({ right: WANTED.repeat(REPLY_TOKENS), wrong: OTHER.repeat(REPLY_TOKENS) }),
});

export default seeded;

if (import.meta.main) await runEnvironment(seeded);
