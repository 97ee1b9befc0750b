/** Grades answers without a model: what each reward says of the same replies, and what becomes of what cannot be graded. */
import {
  createJsonSchemaReward,
  createMathReward,
  createMultiSignalReward,
  createWordLimitReward,
  failed,
  scored,
  type Outcome,
  type Reward,
} from '@lachesis/sdk/environment';

/** A function of your own is a reward too. What broke around the answer is `failed`, never a 0. */
const politeness: Reward = ({ answer }) => {
  if (answer === '') return failed('infrastructure', 'there is no answer to grade');
  return scored(/\bplease\b|\bthank/i.test(answer) ? 1 : 0);
};

const rewards: Record<string, Reward> = {
  math: createMathReward(),
  json: createJsonSchemaReward({
    schema: { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] },
    allowText: true,
  }),
  short: createWordLimitReward({ maxWords: 6 }),
  polite: politeness,
  'math, mostly': createMultiSignalReward({
    signals: { math: createMathReward(), short: createWordLimitReward({ maxWords: 6 }) },
    weights: { math: 0.8, short: 0.2 },
  }),
};

const answers = [
  'Thank you for asking: the answer is \\boxed{0.5}',
  'It is $\\frac{2}{4}$',
  '{"total": 0.5}',
  'I would say that it is probably about a third, more or less',
  '',
];

const show = (outcome: Outcome): string =>
  outcome.kind === 'scored' ? outcome.reward.toFixed(2) : `${outcome.kind}: ${outcome.reason}`;

for (const answer of answers) {
  console.log(`\n${JSON.stringify(answer)}, expected 1/2`);
  for (const [name, reward] of Object.entries(rewards)) {
    console.log(`  ${name.padEnd(14)}${show(await reward({ answer, expected: '1/2' }))}`);
  }
}
