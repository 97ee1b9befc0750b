import { convertGroup } from '../../../packages/server/src/services/training/rl/datums/convert-group.ts';
import { makeGroup } from '../../../packages/server/src/services/training/rl/datums/group.fixture.ts';

/** Prints a group of two replies as the trainer of this process converts it: prompt 1 7, a digit, the end. */
const reply = (digit: number, score: number) => ({
  ...{ tokens: [1, 7, digit, 2], logprobs: [1, 1, -1, -1], score },
});
const { sequences } = convertGroup({
  payload: makeGroup([reply(8, 1), reply(9, 0)]),
  group: 0,
  estimate: ({ scores }) => Float64Array.from(scores, (score) => score - 0.5),
  maxTokens: 16,
});
const rows = sequences.map(({ datum: { tokens, inputs } }) => ({
  ...{ tokens: [...tokens], advantages: [...inputs.advantages] },
}));
process.stdout.write(JSON.stringify(rows));
