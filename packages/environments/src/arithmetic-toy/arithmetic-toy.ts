import {
  type Random,
  createNumericReward,
  defineEnvironment,
  readRewardInput,
  runEnvironment,
} from '@lachesis/sdk/environment';
import { z } from 'zod';

const SIGNS = { add: '+', subtract: '-', multiply: '*' } as const;
type Operation = keyof typeof SIGNS;

export interface Sum {
  readonly left: number;
  readonly right: number;
  readonly operation: Operation;
}

const reward = createNumericReward();

const compute = ({ left, right, operation }: Sum): number => {
  if (operation === 'multiply') return left * right;
  return operation === 'add' ? left + right : left - right;
};

/** One sum in ten is for evaluation, by its numbers: a sum that was trained on is never evaluated. */
const isForEvaluation = ({ left, right }: Sum): boolean => (left * 7 + right * 3) % 10 === 0;

function drawSum(
  random: Random,
  config: { digits: number; operations: readonly Operation[] },
  forEvaluation: boolean,
): Sum {
  for (;;) {
    const high = 10 ** config.digits - 1;
    const sum = {
      left: random.integer(0, high),
      right: random.integer(0, high),
      operation: random.pick(config.operations),
    };
    if (isForEvaluation(sum) === forEvaluation) return sum;
  }
}

/** Sums of two numbers, as many as are wanted: quick to grade, easy to make harder. */
const arithmeticToy = defineEnvironment({
  name: 'arithmetic-toy',
  description: 'Adds, subtracts or multiplies two small numbers; the last number of the reply counts.',
  config: z.object({
    digits: z.int().min(1).max(6).default(2).describe('digits of each number at most'),
    operations: z
      .array(z.enum(['add', 'subtract', 'multiply']))
      .min(1)
      .default(['add', 'subtract'])
      .describe('what is asked for'),
    format_reward: z.number().min(0).max(1).default(0).describe('reward of a wrong reply that has a number in it'),
    eval_count: z.int().min(1).default(50).describe('sums in the evaluation split'),
  }),
  defaults: { max_token_length: 512, max_completion_tokens: 64 },
  items: ({ config }) => ({
    train: { generate: (_index, { random }) => drawSum(random, config, false) },
    evaluation: { count: config.eval_count, generate: (_index, { random }) => drawSum(random, config, true) },
  }),
  formatPrompt: ({ left, right, operation }) => `What is ${left} ${SIGNS[operation]} ${right}? Reply with the number.`,
  computeReward: async (sum, result, { config }) => {
    const outcome = await reward(readRewardInput(result, compute(sum)));
    if (outcome.kind !== 'scored') return outcome;
    const hasNumber = /\d/.test(result.finalResponse);
    return {
      reward: Math.max(outcome.reward, hasNumber ? config.format_reward : 0),
      signals: { correct: outcome.reward, has_number: hasNumber ? 1 : 0 },
    };
  },
  // The sum itself is in the words; only what it comes to is graded.
  itemOf: ({ expected }) => {
    const value = expected.trim() === '' ? Number.NaN : Number(expected);
    return Number.isFinite(value) ? { left: value, right: 0, operation: 'add' as const } : undefined;
  },
  examples: (sum) => ({ right: `It is ${compute(sum)}.`, wrong: `It is ${compute(sum) + 1}.` }),
});

export default arithmeticToy;

if (import.meta.main) await runEnvironment(arithmeticToy);
