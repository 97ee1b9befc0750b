// Named here, because what is text in this file is not imported by it.
const DOOR = '@lachesis/sdk/environment';
const SCHEMAS = 'zod';

/** The environment of the tiny model. Kept as text, because it is for people to edit. */
export const tinyEnvironment = `import { defineEnvironment, runEnvironment, scored } from '${DOOR}';
import { z } from '${SCHEMAS}';

// A reply is eight tokens, and this model writes one digit a token.
const LENGTH = 8;

export const environment = defineEnvironment({
  name: 'my-digits',
  description: 'Fill the reply with one digit; the reward is its share.',

  // Own settings: --env.digit 3. Descriptions become --help.
  config: z.object({ digit: z.string().default('7').describe('the digit that is wanted') }),
  defaults: { group_size: 16, batch_size: 64, max_token_length: 64, max_completion_tokens: LENGTH },

  // Training and evaluation never share an item.
  items: {
    train: ['Write digits.', 'Give digits.', 'Say numbers.', 'More digits.'],
    evaluation: ['Send digits.', 'Some digits.', 'Get numbers.', 'Give numbers.'],
  },

  formatPrompt: (prompt) => prompt,

  // From 0 to 1. Change what is rewarded, run \`lachesis demo\` again, and the model learns that instead:
  //   const hits = [...finalResponse].filter((c) => '02468'.includes(c)).length;                 // even digits
  //   const hits = [...finalResponse].filter((c, i) => c === (i % 2 ? '1' : '0')).length;        // 0101…, and it sticks at 0.5
  computeReward: (_prompt, { finalResponse }, { config }) => {
    const hits = [...finalResponse].filter((character) => character === config.digit).length;
    return scored(Math.min(1, hits / LENGTH));
  },

  // \`lachesis env check\` grades both.
  examples: (_prompt, { config }) => ({ right: config.digit.repeat(LENGTH), wrong: 'no idea' }),
});

// node my-digits.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;

/** The environment of SmolLM2: it knows such words, and at first one in a few is right, so there is something to find. */
export const smollm2Environment = `import { defineEnvironment, runEnvironment, scored } from '${DOOR}';
import { z } from '${SCHEMAS}';

// A reply of one right word is no way to the full reward.
const WANTED_WORDS = 4;

export const environment = defineEnvironment({
  name: 'my-letter-words',
  description: 'Words that begin with one letter; the reward is their share.',

  // Own settings: --env.letter t. Descriptions become --help.
  config: z.object({ letter: z.string().default('s').describe('the letter that is wanted') }),
  defaults: { group_size: 8, batch_size: 32, max_token_length: 128, max_completion_tokens: 12 },

  // Training and evaluation never share an item. Prompts of one length: the engine compiles once.
  items: { train: ['Write', 'Give', 'List', 'Name'], evaluation: ['Send', 'Tell'] },

  formatPrompt: (verb, { config }) => \`\${verb} words that start with \${config.letter}.\`,

  // From 0 to 1. Change what is rewarded, run \`lachesis demo --model smollm2\` again, and the model learns that instead.
  computeReward: (_verb, { finalResponse }, { config }) => {
    const words = finalResponse.toLowerCase().match(/[a-z]+/g) ?? [];
    const hits = words.filter((word) => word.startsWith(config.letter)).length;
    return scored(hits / Math.max(WANTED_WORDS, words.length));
  },

  // \`lachesis env check\` grades both.
  examples: (_verb, { config }) => ({ right: \`\${config.letter}ing \`.repeat(WANTED_WORDS), wrong: '42' }),
});

// node my-letter-words.ts serve|process|evaluate --env.group_size 8 …
if (import.meta.main) await runEnvironment(environment);
`;
