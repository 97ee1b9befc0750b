import { defineEnvironment, runEnvironment, splitItems, type Random } from '@lachesis/sdk/environment';
import { z } from 'zod';
import { datasetFields } from '../dataset/dataset-fields.ts';
import { readDataset } from '../dataset/read-dataset.ts';
import { EVALUATION_PROMPTS, TRAIN_PROMPTS } from './prompts.ts';

/** Tokens of a reply; the tiny model writes one digit a token. */
export const REPLY_TOKENS = 8;

/** The share of a reply that is the wanted digit: every token counts, so a model that cannot yet write a word still learns. */
export const scoreDigits = (reply: string, digit: string, length: number): number =>
  Math.min(1, Array.from(reply).filter((character) => character === digit).length / length);

/** Digits, each as likely as any other: they teach to write digits at all, and none in particular. */
export const drawDigits = (random: Random, length: number): string =>
  Array.from({ length }, () => random.integer(0, 9)).join('');

/** The toy a tiny model learns on a CPU in minutes: fill the reply with one digit. It needs a warm-up that teaches digits. */
const digits = defineEnvironment({
  name: 'digits',
  description: 'A toy for a tiny model on a CPU: fill the reply with one digit; the reward is its share.',
  config: z.object({
    digit: z.string().regex(/^\d$/).default('7').describe('the digit that is wanted'),
    ...datasetFields(),
  }),
  defaults: {
    group_size: 16,
    batch_size: 64,
    max_token_length: 64,
    max_completion_tokens: REPLY_TOKENS,
  },
  items: async ({ config, random, signal }) => {
    const { dataset_name: name } = config;
    if (name === undefined) return { train: TRAIN_PROMPTS, evaluation: EVALUATION_PROMPTS };
    const rows = await readDataset({ config: { ...config, dataset_name: name }, signal });
    const train = rows.train.map(({ prompt }) => String(prompt));
    const evaluation = rows.evaluation.map(({ prompt }) => String(prompt));
    return evaluation.length > 0
      ? { train, evaluation }
      : splitItems(train, { random, evaluationSize: config.eval_size });
  },
  formatPrompt: (prompt) => prompt,
  computeReward: (_prompt, { finalResponse }, { config }) => {
    const length = config.max_completion_tokens ?? REPLY_TOKENS;
    return {
      reward: scoreDigits(finalResponse, config.digit, length),
      signals: { digits: Math.min(1, (finalResponse.match(/\d/g)?.length ?? 0) / length) },
    };
  },
  // Which digit is wanted says the configuration: an answer with another one is no task here.
  itemOf: ({ prompt, expected }, { config }) =>
    expected !== '' && expected.replaceAll(config.digit, '') === '' ? prompt : undefined,
  examples: (_prompt, { config, random }) => {
    const length = config.max_completion_tokens ?? REPLY_TOKENS;
    return {
      right: config.digit.repeat(length),
      wrong: String((Number(config.digit) + 1) % 10).repeat(length),
      warmUp: drawDigits(random, length),
    };
  },
});

export default digits;

if (import.meta.main) await runEnvironment(digits);
