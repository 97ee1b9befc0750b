import { MASKED } from '@lachesis/protocol';
import { checkGroup, decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import { expect, test } from 'vitest';
import { defineEnvironment } from '../define-environment.ts';
import { abstained, failed } from '../outcome.ts';
import { createScriptedPolicy } from '../policy/create-scripted-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { countIds, never, openToy, toy, toyPolicy } from '../testing/toy-environment.fixture.ts';
import { assembleGroup, measureRollouts } from './assemble-group.ts';
import { collectGroup, type CollectGroupOptions } from './collect-group.ts';

async function collect(given: Partial<CollectGroupOptions<'train'>> & { flags?: Record<string, string> } = {}) {
  const environment = given.environment ?? (await openToy({ max_n_completions: '2', ...given.flags }));
  return collectGroup({
    environment,
    policy: toyPolicy,
    drawn: (await environment.drawTrainItem(0))!,
    groupSize: 6,
    failurePolicy: 'complete',
    maxAttempts: 3,
    temperature: 1,
    nextRolloutId: countIds(),
    now: () => 0,
    signal: never,
    log: () => {},
    ...given,
  });
}

/** Fails the nth requests, counted from 1. */
const failing = (policy: Policy, ...requests: number[]): Policy => {
  let asked = 0;
  return {
    complete: async (request) => {
      asked += 1;
      if (requests.includes(asked)) throw new Error('the server went away');
      return policy.complete(request);
    },
  };
};

const rewardsOf = (group: Awaited<ReturnType<typeof collect>>): number[] =>
  group.kind === 'complete' ? group.rollouts.map(({ outcome }) => outcome.reward) : [];

test('a completed group is the one there would have been without the failure', async () => {
  const whole = await collect();
  const mended = await collect({ policy: failing(toyPolicy, 2) });
  expect(rewardsOf(mended)).toEqual(rewardsOf(whole));
  expect(rewardsOf(whole)).toHaveLength(6);
  expect(mended.attempts).toHaveLength(8);
  expect(mended.attempts.filter(({ outcome }) => outcome.kind === 'failed')).toHaveLength(2);
  expect(new Set(mended.attempts.map(({ rolloutId }) => rolloutId)).size).toBe(8);
});

test('retry rolls out the whole group again with other seeds, drop gives it up', async () => {
  const retried = await collect({ policy: failing(toyPolicy, 2), failurePolicy: 'retry' });
  expect([retried.kind, retried.attempts.length]).toEqual(['complete', 12]);
  const dropped = await collect({ policy: failing(toyPolicy, 2), failurePolicy: 'drop' });
  expect(dropped).toMatchObject({
    kind: 'dropped',
    reason: '2 of 6 rollouts have no score: the server went away',
  });
});

test('a group is given up after its attempts, and its failures have no number', async () => {
  const group = await collect({ policy: createScriptedPolicy(() => Promise.reject(new Error('down'))) });
  expect([group.kind, group.attempts.length]).toEqual(['dropped', 18]);
  for (const { outcome } of group.attempts) expect(outcome).toEqual(failed('infrastructure', 'down'));
});

const graded = (computeReward: () => unknown) =>
  openToy(
    {},
    defineEnvironment({
      name: 'graded',
      items: { train: ['x'], evaluation: [] },
      formatPrompt: (item) => item,
      computeReward: computeReward as () => number,
    }),
  );

test.each([
  ['throws', () => Promise.reject(new Error('judge is away')), failed('verifier', 'judge is away')],
  ['is not a number', () => Number.NaN, expect.objectContaining({ kind: 'failed', failure: 'verifier' })],
  ['is nothing', () => undefined, expect.objectContaining({ kind: 'failed', failure: 'verifier' })],
  ['abstains', () => abstained('unclear'), abstained('unclear')],
])('a grade that %s is no reward', async (_name, computeReward, outcome) => {
  const group = await collect({ environment: await graded(computeReward), maxAttempts: 1 });
  expect(group.kind).toBe('dropped');
  expect(group.attempts[0]!.outcome).toEqual(outcome);
});

test('what only the verifier failed at is graded again and not sampled again', async () => {
  let grades = 0;
  let requests = 0;
  const environment = await graded(() => ((grades += 1) === 1 ? Promise.reject(new Error('away')) : 1));
  const policy = createScriptedPolicy(() => String((requests += 1)));
  const group = await collect({ environment, policy, groupSize: 2 });
  expect([rewardsOf(group), requests, group.attempts.length]).toEqual([[1, 1], 2, 3]);
});

test('a rollout that takes too long is a timeout', async () => {
  const hanging: Policy = { complete: () => new Promise(() => {}) };
  const group = await collect({ policy: hanging, maxAttempts: 1, flags: { worker_timeout: '0.01' } });
  expect(group.attempts[0]!.outcome).toMatchObject({ kind: 'failed', failure: 'timeout' });
});

test('a stop is not a failure', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const policy: Policy = {
    complete: async () => {
      stop.abort(reason);
      throw new Error('cut off');
    },
  };
  await expect(collect({ policy, signal: stop.signal })).rejects.toBe(reason);
});

test('a group is valid on the native API and masks all but what was sampled', async () => {
  const group = await collect();
  if (group.kind !== 'complete') throw new Error(group.reason);
  const encodable = assembleGroup({
    rollouts: group.rollouts,
    groupId: countIds()(),
    item: 'train-0',
    environment: toy.name,
    environmentDigest: toy.digest,
    verifierDigest: toy.verifierDigest,
    envId: 0,
    temperature: 1,
    includeMessages: true,
  });
  const payload = decodeGroup(encodeGroup(encodable));
  expect(checkGroup(payload, { maxSequences: 100, maxTokensPerSequence: 100 })).toEqual([]);
  expect(payload.header).toMatchObject({ env_id: 0, environment: 'toy', item: 'train-0', outcome: 'scored' });
  const { values, rowLengths } = payload.tokens;
  const sampled = group.rollouts[0]!.result!.tokens.length;
  const first = rowLengths[0]!;
  for (let index = 0; index < first; index += 1) {
    const isSampled = index >= first - sampled;
    expect(payload.masks.values[index]).toBe(isSampled ? values[index] : MASKED);
    expect(payload.inferenceLogprobs!.values[index]).toBe(isSampled ? -0.5 : 1);
  }
  expect(payload.policyRanges!.slice(0, 4)).toEqual(Uint32Array.of(0, first - sampled, first, 0));
});

test('several turns become one sequence, and limits on turns cut', async () => {
  const definition = defineEnvironment({
    name: 'turns',
    items: { train: ['count'], evaluation: [] },
    formatPrompt: (item) => item,
    turns: (_item, { turn }) => (turn < 3 ? { role: 'user', content: `again ${turn}` } : undefined),
    computeReward: (_item, { turnsUsed, finishedNaturally, messages }) =>
      turnsUsed * 10 + messages.length + (finishedNaturally ? 0 : 0.5),
    overrides: (_item, { turnsUsed }) => ({ turns: turnsUsed }),
  });
  const policy = createScriptedPolicy(({ messages }) => `reply ${messages.length}`);
  const all = await collect({ environment: await openToy({}, definition), policy, groupSize: 2 });
  expect(rewardsOf(all)).toEqual([36, 36]);
  if (all.kind !== 'complete') throw new Error('dropped');
  expect(all.rollouts[0]!.sequences).toHaveLength(1);
  expect(all.rollouts[0]!.overrides).toEqual({ turns: 3 });
  expect(measureRollouts(all.rollouts)).toMatchObject({ isDead: true, rewardEntropy: 0, truncatedShare: 0 });
  const cut = await collect({ environment: await openToy({ max_agent_turns: '2' }, definition), policy, groupSize: 1 });
  expect(rewardsOf(cut)).toEqual([25.5]);
});

test('asks for no more than fits beside the prompt, which only the server can count', async () => {
  const asked: (number | undefined)[] = [];
  const policy: Policy = {
    complete: async (request) => {
      asked.push(request.maxTokens, request.maxTotalTokens);
      return toyPolicy.complete(request);
    },
  };
  await collect({ policy, flags: { max_token_length: '64', max_n_completions: '6' } });
  expect(asked).toEqual([64, 64]);
});
