import {
  codeField,
  createRewardModel,
  defineEnvironment,
  fetchForField,
  isSetThroughApi,
  loadReward,
  pathField,
  readRewardInput,
  runEnvironment,
  splitItems,
  urlField,
} from '@lachesis/sdk/environment';
import type { Reward } from '@lachesis/sdk/environment';
import { z } from 'zod';
import { datasetFields } from '../dataset/dataset-fields.ts';
import { readDataset } from '../dataset/read-dataset.ts';
import { readPrompts, toPrompts } from './read-prompts.ts';

/** Prompts of a file, graded by a reward model or by a reward of one's own: what `lachesis train rlhf` runs. */
const rlhf = defineEnvironment({
  name: 'rlhf',
  description: 'Prompts of a file; a reward model, your own file or your own server says what a reply is worth.',
  config: z.object({
    prompts_path: pathField().default('prompts.jsonl').describe('JSONL with messages; split "eval" is for evaluation'),
    ...datasetFields(),
    reward_url: urlField().optional().describe('server of a reward model, as `lachesis serve reward` prints it'),
    reward: codeField().optional().describe('a reward of your own: a TypeScript file, or an http address'),
    reward_timeout_seconds: z.number().positive().default(60).describe('longest wait for one reward'),
  }),
  defaults: { group_size: 8 },
  setup: async ({ config }): Promise<Reward> => {
    const timeoutMs = config.reward_timeout_seconds * 1000;
    // The key is the operator's, for the server the operator named.
    const shared = (field: string) => ({
      ...{ timeoutMs, fetch: fetchForField(config, field) },
      apiKey: isSetThroughApi(config, field) ? undefined : process.env['LACHESIS_REWARD_KEY'],
    });
    if (config.reward !== undefined) return loadReward({ from: config.reward, ...shared('reward') });
    if (config.reward_url !== undefined) return createRewardModel({ url: config.reward_url, ...shared('reward_url') });
    throw new Error('nothing says what a reply is worth: set env.reward_url to a reward server, or env.reward');
  },
  items: async ({ config, random, signal }) => {
    const { dataset_name: name } = config;
    const { train, evaluation } =
      name === undefined
        ? await readPrompts(config.prompts_path)
        : toPrompts(await readDataset({ config: { ...config, dataset_name: name }, signal }), config.prompt_field);
    return evaluation.length > 0
      ? { train, evaluation }
      : splitItems(train, { random, evaluationSize: config.eval_size });
  },
  formatPrompt: ({ messages }) => messages,
  computeReward: ({ expected }, result, { state: reward, signal }) => reward(readRewardInput(result, expected, signal)),
});

export default rlhf;

if (import.meta.main) await runEnvironment(rlhf);
