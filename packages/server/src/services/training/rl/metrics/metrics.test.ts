import { expect, test } from 'vitest';

import { describeStep } from './describe-step.ts';
import { isOwnSeries, nameEnvironmentSeries } from './own-series.ts';
import type { StepReport } from './step-report.ts';
import { toHistograms, toMetrics } from './to-metrics.ts';

const REPORT: StepReport = {
  step: 7,
  totalSteps: 40,
  policyVersion: 7,
  learningRate: 4e-5,
  facts: {
    groups: 4,
    deadGroups: 1,
    leftOut: { dead: 4, 'too-long': 2 },
    rewardMean: 0.5,
    rewardStd: 0.25,
    advantageMean: 0,
    advantageStd: 0.5,
    trainedTokens: 100,
    totalTokens: 200,
    meanLength: 12.5,
    replies: { entropyEstimate: 1.75, mostCommonShare: 0.5, lengths: Float64Array.of(1, 2, 3) },
    rewards: Float64Array.of(0, 0.25, 0.75, 1),
    setAside: { groups: 0, rollouts: 0, rewardSum: 0 },
  },
  loss: { sum: -2 },
  comparison: {
    tokens: 100,
    samplerMean: -1.5,
    trainerMean: -1.25,
    kl1: -0.25,
    kl2: 0.1,
    kl3: 0.05,
    ratioMean: 1,
    ratioMax: 2,
    clipFraction: 0.1,
    drift: 0.01,
    driftTokens: 50,
    ratios: Float64Array.of(0.9, 1, 1.1),
  },
  optimizer: { 'skyrl.ai/grad_norm': 3 },
  staleness: { mean: 0.5, max: 1 },
  alarms: [],
  times: { total: 1.25, waited: 0.5, converted: 0.01, engine: 0.6, published: 0.1 },
};

test('has the eight names of the contract', () => {
  expect(toMetrics(REPORT)).toMatchObject({
    'train/loss': -0.02,
    'train/learning_rate': 4e-5,
    'reward/mean': 0.5,
    'logprobs/mean': -1.5,
    'logprobs/mean_training': -1.25,
    'logprobs/diff': -0.25,
    'advantages/mean': 0,
    'advantages/std': 0.5,
    'optimizer/grad_norm': 3,
    'train/left_out_too_long': 2,
  });
});

test('knows every name it writes as its own, so that an environment cannot write it', () => {
  expect(Object.keys(toMetrics(REPORT)).filter((name) => !isOwnSeries(name))).toEqual([]);
  expect(['train/percent_correct', 'eval/mean_reward', 'own'].map(nameEnvironmentSeries)).toEqual([
    ...['train/percent_correct', 'eval/mean_reward', 'own'],
  ]);
  expect(['train/groups', 'reward/mean'].map(nameEnvironmentSeries)).toEqual(['env/train/groups', 'env/reward/mean']);
});

test('leaves out what was not measured', () => {
  const names = Object.keys(toMetrics({ ...REPORT, loss: undefined, comparison: undefined, staleness: undefined }));
  expect(names).not.toContain('train/loss');
  expect(names).not.toContain('logprobs/mean');
  expect(names).toContain('reward/mean');
});

test('tells where rewards, lengths and ratios lie, how sure the policy is and where the time goes', () => {
  expect(toMetrics({ ...REPORT, cost: 0.5 })).toMatchObject({
    'reward/p05': expect.closeTo(0.0375, 12),
    'reward/p50': 0.5,
    'length/p50': 2,
    'ratio/p95': 1.09,
    'policy/entropy_estimate': 1.75,
    'replies/most_common_share': 0.5,
    'throughput/tokens_per_second': 160,
    'time/train_seconds': 0.6,
    'time/publish_seconds': 0.1,
    'cost/total': 0.5,
  });
  expect(Object.keys(toHistograms(REPORT))).toEqual(['reward/histogram', 'length/histogram', 'ratio/histogram']);
});

test('speaks of RLHF in RLHF alone', () => {
  const facts = { ...REPORT.facts, shaped: { mean: 0.25, clippedShare: 0, lengthPenalty: 0.25 } };
  const namesOf = (report: StepReport) => Object.keys(toMetrics(report)).filter((name) => name.startsWith('rlhf/'));
  expect(namesOf({ ...REPORT, facts })).toEqual([]);
  expect(toMetrics({ ...REPORT, facts })['reward/length_penalty']).toBe(0.25);
  const kl = { sequence: 1, token: 0.1, k1: 0.1, k2: 0.1, k3: 0.1, penalty: 0.01 };
  expect(namesOf({ ...REPORT, facts, kl })).toContain('rlhf/reward_model');
});

test('the reward of the line is that of all rollouts, and says so when groups were resampled', () => {
  const facts = { ...REPORT.facts, setAside: { groups: 2, rollouts: 4, rewardSum: 4 } };
  expect(describeStep({ ...REPORT, facts })).toContain(
    'reward 0.750 of all 8 rollouts (0.500 of those trained on; 2 groups resampled)',
  );
});

test('is one readable line', () => {
  expect(describeStep(REPORT)).toBe(
    'step  7/40  reward 0.500  loss -0.0200  kl 0.0500  lr 4.0e-5  4 groups (1 dead)  100 tokens  1.3 s (engine 0.6, waited 0.5)',
  );
});
