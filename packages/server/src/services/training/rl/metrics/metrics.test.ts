import { expect, test } from 'vitest';

import { describeStep } from './describe-step.ts';
import { isOwnSeries, nameEnvironmentSeries } from './own-series.ts';
import type { StepReport } from './step-report.ts';
import { toMetrics } from './to-metrics.ts';

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

test('is one readable line', () => {
  expect(describeStep(REPORT)).toBe(
    'step  7/40  reward 0.500  loss -0.0200  kl 0.0500  lr 4.0e-5  4 groups (1 dead)  100 tokens  1.3 s (engine 0.6, waited 0.5)',
  );
});
