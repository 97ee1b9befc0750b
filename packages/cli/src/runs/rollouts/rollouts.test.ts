import { rolloutSchemas, type RolloutGroup, type RolloutStep } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { createPaint } from '../../terminal/paint.ts';
import { findPair, findRollouts, type RolloutClient } from './find-rollouts.ts';
import { renderPair, renderRollouts } from './render-rollouts.ts';
import { writeRolloutsPage } from './rollouts-page.ts';

const SCREEN = { paint: createPaint(false), columns: 100, showsTokens: false };

const makeStep = (step: number, change: Partial<RolloutStep> = {}): RolloutStep => ({
  ...{ step, state: 'done', policy_version: step - 1, groups: 2, rollouts: 4, trained_tokens: 8, bytes: 100 },
  ...{ mean_reward: step / 10, lowest_reward: 0, highest_reward: 1, is_kept: true, has_trainer_logprobs: true },
  ...{ started_at: 0, ended_at: 1 },
  ...change,
});

/** Two groups a step: one of `train-<step>` and one of `train-7`, each with a bad and a good reply. */
function createStub(steps: RolloutStep[]): RolloutClient {
  const find = (number: number): RolloutStep => steps.find(({ step }) => step === number) ?? makeStep(number);
  const itemOf = (step: number, index: number): string => (index === 0 ? `train-${step}` : 'train-7');
  return {
    listSteps: async (run, { item, limit = 100 } = {}) =>
      rolloutSchemas.list.parse({
        run_id: run,
        steps: steps
          .filter(({ step }) => item === undefined || [0, 1].some((index) => itemOf(step, index) === item))
          .toReversed()
          .slice(0, limit),
        next: null,
      }),
    // A page has one group: who reads a step has to turn pages.
    readStep: async (run, step, { start = 0 } = {}) =>
      rolloutSchemas.page.parse({
        ...{ run_id: run, step: find(step), next: start === 0 ? 1 : null },
        groups: [
          {
            ...{ group_id: `${step}-${start}`, index: start, item: itemOf(step, start), environment: 'toy' },
            ...{ rollouts: [0, 1], scores: [start === 0 ? -1 : 0, 1], advantages: [-0.5, 0.5], lengths: [3, 3] },
            ...{ trained_tokens: [2, 2], oldest_policy: [0, 0], newest_policy: [0, 0], left_out: [null, 'too-long'] },
            drift: [0.25, null],
          },
        ],
      }),
    readGroup: async (run, groupId, { tokens } = {}) => {
      const [step = 0, index = 0] = groupId.split('-').map(Number);
      const sequence = (score: number, words: string): RolloutGroup['sequences'][number] => ({
        ...{ rollout: score > 0 ? 1 : 0, rollout_id: null, score, advantage: score / 2, length: 3, trained_tokens: 2 },
        ...{ left_out: null, drift: 0.25, policy_versions: [[1, 3, step - 1]], text: null },
        messages: [
          { role: 'user', content: 'seven?' },
          { role: 'assistant', content: words },
        ],
        ...(tokens === false
          ? {}
          : {
              ...{ tokens: [7, 8, 9], pieces: ['a', '<b>', '\u001B[2Jc'], mask: [0, 1, 1] },
              ...{ logprobs: [1, -1, -2], trainer_logprobs: [-1, -2.5], token_advantages: null },
            }),
      });
      return rolloutSchemas.group.parse({
        ...{ run_id: run, group_id: groupId, item: itemOf(step, index), environment: 'toy', step },
        ...{ policy_version: step - 1, received_at: 0 },
        sequences: [
          sequence(index === 0 ? -1 : 0, `no, at step ${step} \u001B[31mred`),
          sequence(1, `yes, at step ${step}`),
        ],
      });
    },
  };
}

const client = createStub([makeStep(1), makeStep(2), makeStep(3, { state: 'leased', mean_reward: null })]);

test('shows the newest step that was reported, its groups, and some rollouts with their facts', async () => {
  const found = await findRollouts(client, 'rl-a', { limit: 2, tokens: false });
  expect(renderRollouts('rl-a', found, SCREEN).join('\n')).toBe(
    `run rl-a  step 2  reward 0.200 (0 to 1)  2 groups  policy 1
train-2  reward -1 1  advantage -0.500 0.500  left out: too-long
train-7  reward 0 1  advantage -0.500 0.500  left out: too-long

train-2  rollout 1  reward -1  advantage -0.500  2 of 3 tokens trained  policy 1  drift 0.250
user:
  seven?
assistant:
  no, at step 2 red

train-2  rollout 2  reward 1  advantage 0.500  2 of 3 tokens trained  policy 1  drift 0.250
user:
  seven?
assistant:
  yes, at step 2

2 more rollouts of this step: --limit, --best, --worst`,
  );
});

test('orders by reward, keeps to an item, and says which items there are', async () => {
  const scores = async (wish: object) =>
    (await findRollouts(client, 'r', { limit: 9, tokens: false, step: 2, ...wish })).rollouts.map(
      ({ group, sequence }) => group.sequences[sequence]?.score,
    );
  expect(await scores({ order: 'worst' })).toEqual([-1, 0, 1, 1]);
  expect(await scores({ order: 'best' })).toEqual([1, 1, -1, 0].toSorted((a, b) => b - a));
  expect(await scores({ item: 'train-7' })).toEqual([0, 1]);
  await expect(scores({ item: 'train-9' })).rejects.toThrow('It has train-2, train-7.');
  await expect(findRollouts(client, 'r', { limit: 1, tokens: false, item: 'x' })).rejects.toThrow('no step of run r');
});

test('lays the same item of two steps one below the other', async () => {
  const pair = await findPair(client, 'r', { steps: [1, 2], limit: 1, tokens: false });
  expect(pair.item).toBe('train-7');
  const text = renderPair('r', pair, SCREEN).join('\n');
  expect(text).toContain('item train-7  step 1 and 2  reward 0.500 to 0.500');
  expect(text).toMatch(/no, at step 1[\s\S]*no, at step 2/);
  const other = { ...client, readStep: createStub([]).readStep };
  await expect(findPair(other, 'r', { steps: [1, 2], item: 'train-1', limit: 1, tokens: false })).rejects.toThrow(
    'step 2 of run r has no group of item "train-1"',
  );
});

test('shows trained tokens with both log probabilities, and no control sequence of a stranger', async () => {
  const found = await findRollouts(client, 'r', { limit: 1, tokens: true, step: 1 });
  const text = renderRollouts('r', found, { ...SCREEN, showsTokens: true }).join('\n');
  expect(text).toContain('     2         9         -2     -2.500    0.607  "c"');
  expect(text).toContain('1 token not trained on');
  expect(text).not.toContain('\u001B');
});

test('the page has every step with advantage, policy, mask and log probabilities, and nothing of it acts', async () => {
  const page = (await Array.fromAsync(writeRolloutsPage({ client, runId: 'r' }))).join('');
  for (const words of [
    ...['Step 1: reward 0.100', 'Step 2', 'advantage -0.500', 'policy 1', 'seven?', '&lt;b&gt;'],
    'title="2: token 9, sampler -2, trainer -2.500"',
  ]) {
    expect(page).toContain(words);
  }
  for (const mark of ['<script', '\u001B']) expect(page).not.toContain(mark);
});

test('the page ends before it is too large, and says what it left out', async () => {
  const many = createStub(Array.from({ length: 100 }, (_, index) => makeStep(index + 1)));
  const page = (await Array.fromAsync(writeRolloutsPage({ client: many, runId: 'r', mostBytes: 9_000 }))).join('');
  expect(page.length).toBeLessThan(16_000);
  expect(page).toContain('20 of 100 steps');
  expect(page).toMatch(/\d+ more steps left out: <code>lachesis rollouts r --step &lt;n&gt;<\/code>/);
  expect(page).toMatch(/<\/html>\n$/);
});
