import {
  createMathReward,
  defineEnvironment,
  fetchForField,
  pathField,
  readRewardInput,
  splitItems,
  runEnvironment,
} from '@lachesis/sdk/environment';
import { z } from 'zod';
import { datasetFields } from '../dataset/dataset-fields.ts';
import { readNamedProblems } from './read-named-problems.ts';
import { SHIPPED_PROBLEMS, readProblems, type Problem } from './read-problems.ts';

const reward = createMathReward();

/**
 * Grade-school math in words, graded by the number in the box. Each answer is one number, and has to stand in a box.
 */
const gsm8k = defineEnvironment({
  name: 'gsm8k',
  description: 'Grade-school math in words (GSM8K); the answer is one number in \\boxed{}.',
  config: z.object({
    dataset_path: pathField()
      .optional()
      .describe('JSONL with question and answer: a path, an http address, or hf://datasets/owner/name/file'),
    eval_dataset_path: pathField()
      .optional()
      .describe('the same for evaluation; a part of the first is held out when absent'),
    ...datasetFields({ name: 'openai/gsm8k', config: 'main', promptField: 'question', answerField: 'answer' }),
  }),
  defaults: {
    system_prompt: 'Solve the problem step by step. End with the final number in \\boxed{}.',
    max_token_length: 2048,
  },
  items: async ({ config, random, signal, log }) => {
    const hold = (problems: Problem[]) => splitItems(problems, { random, evaluationSize: config.eval_size });
    if (config.dataset_path === undefined && config.eval_dataset_path === undefined) {
      const { train, evaluation } = await readNamedProblems(config, { signal, log });
      return evaluation.length === 0 ? hold(train) : { train, evaluation };
    }
    const read = (source: string, field: string) =>
      readProblems(source, { signal, fetch: fetchForField(config, field) });
    const problems = await read(config.dataset_path ?? SHIPPED_PROBLEMS, 'dataset_path');
    if (config.eval_dataset_path === undefined) return hold(problems);
    return { train: problems, evaluation: await read(config.eval_dataset_path, 'eval_dataset_path') };
  },
  formatPrompt: ({ question }) => question,
  computeReward: ({ answer }, result) => {
    const input = readRewardInput(result, answer);
    // What a model thought first may hold other numbers in boxes.
    const said = input.answer.split('</think>').at(-1) ?? '';
    // Any number in a reply would do otherwise, and a model learns to say many.
    return reward({ ...input, answer: said.includes('\\boxed') ? said : '' });
  },
  itemOf: ({ prompt, expected }) => ({ question: prompt, answer: expected }),
  examples: ({ answer }) => ({ right: `So it is \\boxed{${answer}}.`, wrong: `So it is \\boxed{${answer}1}.` }),
});

export default gsm8k;

if (import.meta.main) await runEnvironment(gsm8k);
