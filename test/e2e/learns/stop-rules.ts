import { mean } from './bootstrap-gain.ts';

/** As a step of `metrics.jsonl` tells it. */
type Steps = readonly { readonly [name: string]: number }[];

/** Batches whose mean decides: one alone is chance. */
const BATCHES = 3;
const LEARNT = 0.95;
/** A little beyond the half that is asked for, so that the held-out combinations are there too. */
const UNLEARNT_SHARE = 0.35;
/** What is held out is unlearnt after what is trained on, in `larger` by many steps. */
const GONE_SHARE = 0.2;

/** Rewards of training end a run; what is held out is looked at once, when it is over. */
export const hasLearnt = (steps: Steps): boolean => lastMean(steps) >= LEARNT;

/** The other way: from what the first batches earned to less than half of it. */
export const hasUnlearnt = (steps: Steps): boolean => lastMean(steps) <= UNLEARNT_SHARE * firstReward(steps);

/** The same at full length: until hardly anything is left. */
export const isNearlyGone = (steps: Steps): boolean => lastMean(steps) <= GONE_SHARE * firstReward(steps);

/** After how many steps training earned what is asked for held out; all of them if it never did. */
export function countToWanted(steps: Steps, wanted: number): number {
  const at = steps.findIndex((_, index) => lastMean(steps.slice(0, index + 1)) >= wanted);
  return at === -1 ? steps.length : at + 1;
}

/** Of the first batch, which the warm-up sampled. */
export const firstReward = (steps: Steps): number => mean(rewardsOf(steps.slice(0, 1)));

/** Of the last batches. */
export const lastMean = (steps: Steps): number =>
  steps.length < BATCHES ? Number.NaN : mean(rewardsOf(steps.slice(-BATCHES)));

const rewardsOf = (steps: Steps): number[] => steps.map(({ 'reward/mean': reward = Number.NaN }) => reward);
