import { LEARNING_CAUSES } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { judgeLearning, LEARNING_JUDGES } from './judge-learning.ts';
import { learningOf } from './learning.fixture.ts';

const alive = { 'train/groups': [4, 4, 4, 4], 'train/dead_groups': [0, 1, 0, 1] };
const dead = { 'train/groups': [4, 4, 4, 4], 'train/dead_groups': [4, 4, 4, 4] };
const reward = (...values: number[]) => ({ 'reward/mean': values });
const same = (value: number): number[] => [value, value, value, value];

const CASES: Record<(typeof LEARNING_CAUSES)[number], [learning: ReturnType<typeof learningOf>, command: string]> = {
  'learning-rate-zero': [
    learningOf({ ...alive, ...reward(...same(0.1)) }, { tinker: { learning_rate: 0 } }),
    'lachesis train --config /runs/r.yaml --environment digits --tinker.learning_rate 0.00004',
  ],
  'verifier-fails': [
    learningOf({ ...alive, ...reward(...same(0.1)), 'train/verifier_failure_rate': same(0.4) }),
    'lachesis logs abcdefgh env',
  ],
  'template-without-tools': [
    learningOf({ ...dead, ...reward(...same(0)) }, { templateProblem: 'the template of m drops tools' }),
    'lachesis env check digits',
  ],
  'unparsed-replies': [
    learningOf({ ...dead, ...reward(...same(0)), 'other/train/signal/parsed': same(0.1) }),
    'lachesis rollouts abcdefgh --worst',
  ],
  truncation: [
    learningOf({
      ...{ ...dead, ...reward(...same(0)), 'train/truncated_rate': same(0.9) },
      ...{ 'train/truncated_reward_share': same(0), 'policy/entropy_estimate': same(0.8) },
    }),
    'lachesis train --config /runs/r.yaml --environment digits --env.max_completion_tokens 16',
  ],
  'no-reward': [
    learningOf({ ...dead, ...reward(...same(0)), 'reward/std': same(0) }),
    'lachesis train warm-up --config /runs/r.yaml --environment digits',
  ],
  collapse: [
    learningOf({
      ...{ ...dead, ...reward(...same(0.2)) },
      ...{ 'policy/entropy_estimate': same(0.01), 'replies/most_common_share': same(1) },
    }),
    'lachesis train --config /runs/r.yaml --environment digits --tinker.learning_rate 0.0005 --tinker.kl_coefficient 0.01',
  ],
  'equal-groups': [
    learningOf({ ...dead, ...reward(...same(0.5)), 'reward/std': same(0) }),
    'lachesis env check digits',
  ],
  'stale-policy': [
    learningOf({
      ...{ ...alive, ...reward(...same(0.1)) },
      ...{ 'train/staleness_mean': same(5), 'numerics/kl3': same(2), 'numerics/ratio_max': same(90) },
    }),
    'lachesis train --config /runs/r.yaml --environment digits --env.max_batches_offpolicy 1 --tinker.loss ppo',
  ],
  'rate-too-high': [
    learningOf({ ...alive, ...reward(...same(0.1)), 'train/staleness_mean': same(1), 'numerics/kl3': same(2) }),
    'lachesis train --config /runs/r.yaml --environment digits --tinker.learning_rate 0.0002',
  ],
  'evaluation-flat': [
    learningOf({ ...alive, ...reward(0.1, 0.2, 0.4, 0.6), 'eval/mean_reward': [0.1, 0.1, 0.1, 0.1] }),
    'lachesis env evaluate digits',
  ],
  temperature: [
    learningOf({ ...alive, ...reward(0.1, 0.2, 0.4, 0.6) }, { env: { temperature: 0.6 } }),
    'lachesis train --config /runs/r.yaml --environment digits --env.temperature 1',
  ],
  'flat-reward': [
    learningOf({ ...reward(...Array.from({ length: 21 }, () => 0.03)) }),
    'lachesis train --config /runs/r.yaml --environment digits --tinker.learning_rate 0.006',
  ],
};

test.each(LEARNING_CAUSES)('%s is named first, with figures, a sentence and a command', (cause) => {
  const [learning, command] = CASES[cause];
  const [found] = judgeLearning(learning);
  expect(found).toMatchObject({ cause, command });
  expect(found?.message).not.toMatch(/NaN|undefined/);
  expect(Object.values(found?.facts ?? {}).every(Number.isFinite)).toBe(true);
});

test('there is a judge for every cause, in the order of the list', () => {
  expect(Object.keys(LEARNING_JUDGES)).toEqual([...LEARNING_CAUSES]);
});

test('groups that differ between tasks and never within one want larger groups', () => {
  const found = judgeLearning(learningOf({ ...dead, ...reward(...same(0.5)), 'reward/std': same(0.5) }));
  expect(found[0]).toMatchObject({
    cause: 'equal-groups',
    command: expect.stringContaining('--env.group_size 32') as string,
  });
});

test('a schedule that has come to an end is told apart from a rate of 0', () => {
  const [found] = judgeLearning(learningOf({ ...alive, ...reward(...same(0.1)), 'train/learning_rate': same(0) }));
  expect(found).toMatchObject({
    cause: 'learning-rate-zero',
    command: expect.stringContaining('final_learning_rate_fraction') as string,
  });
});

test.each([
  ['a reward that rose', { ...alive, ...reward(0.1, 0.2, 0.3, 0.4) }],
  ['a flat one that is young', { ...alive, ...reward(...same(0.1)) }],
  ['one group that differs', { ...reward(0, 0, 0), 'train/groups': [4, 4, 4], 'train/dead_groups': [4, 3, 4] }],
  ['two steps', { ...reward(0, 0), 'train/groups': [4, 4], 'train/dead_groups': [4, 4] }],
  ['steps without a group', { ...reward(0, 0, 0), 'train/groups': [0, 0, 0], 'train/dead_groups': [0, 0, 0] }],
  [
    'a task that is learned: one reply, no entropy, all groups equal',
    {
      ...{ ...dead, ...reward(0.1, 0.6, 1, 1, 1, 1), 'train/dead_groups': [0, 0, 4, 4, 4, 4] },
      ...{ 'train/groups': [4, 4, 4, 4, 4, 4], 'policy/entropy_estimate': same(0.001) },
      'replies/most_common_share': same(1),
    },
  ],
  [
    'replies that are cut off and earn all the same',
    { ...alive, ...reward(...same(0.1)), 'train/truncated_rate': same(1), 'train/truncated_reward_share': same(1) },
  ],
  [
    'an evaluation that rises with training',
    { ...alive, ...reward(0.1, 0.2, 0.4, 0.6), 'eval/mean_reward': [0.1, 0.2, 0.3, 0.4] },
  ],
  [
    'a policy that is far and learns',
    { ...alive, ...reward(0.1, 0.2, 0.4, 0.6), 'numerics/kl3': same(2), 'train/staleness_mean': same(4) },
  ],
])('%s is left alone', (_, series) => {
  expect(judgeLearning(learningOf(series))).toEqual([]);
});

test('a reward that rose and fell back by more than half is not learned', () => {
  const series = { ...dead, ...reward(0.1, 0.1, 0.1, 0.8, 0.2, 0.2, 0.2), 'replies/most_common_share': same(1) };
  expect(judgeLearning(learningOf(series))[0]).toMatchObject({ cause: 'collapse' });
});
