import type { RunEstimate } from '@lachesis/protocol';

/** US dollars per million tokens of one model. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Of training. Absent: training is not paid for by the token. */
  train?: number | undefined;
}

export interface EstimateOptions {
  totalSteps: number;
  /** Sequences of a step. */
  batchSize: number;
  /** Longest sequence of a rollout, prompt and reply together. */
  maxTokenLength: number;
  /** Longer sequences are not trained on. */
  maxTrainerLength: number;
  price: ModelPrice | undefined;
  /** As earlier runs took, the newest first; empty when there was none. */
  secondsPerStep: readonly number[];
  /** What the run may use; it is ended when it has. */
  limits: RunLimits;
}

/** What ends a run when it is used up. */
export interface RunLimits {
  /** US dollars. */
  cost?: number | undefined;
  /** Read, sampled and trained on. */
  tokens?: number | undefined;
  steps?: number | undefined;
}

/** The tighter of two for each thing. */
export function tightenLimits(one: RunLimits, other: RunLimits): RunLimits {
  const least = (name: keyof RunLimits): number | undefined => {
    const given = [one[name], other[name]].filter((limit) => limit !== undefined);
    return given.length === 0 ? undefined : Math.min(...given);
  };
  return { cost: least('cost'), tokens: least('tokens'), steps: least('steps') };
}

const MILLION = 1e6;

/** What a run takes at most: every rollout as long as it may be, and every one trained on. */
export function estimateRun(options: EstimateOptions): RunEstimate {
  const { batchSize, maxTokenLength, price, secondsPerStep, limits } = options;
  const totalSteps = Math.min(options.totalSteps, limits.steps ?? Number.POSITIVE_INFINITY);
  const rollouts = totalSteps * batchSize;
  const sampled = rollouts * maxTokenLength;
  const trained = rollouts * Math.min(maxTokenLength, options.maxTrainerLength);
  // The dearer of the two: how much of a sequence is its prompt is not known before.
  const perSampled = price === undefined ? 0 : Math.max(price.input, price.output);
  const cost = price === undefined ? null : (sampled * perSampled + trained * (price.train ?? 0)) / MILLION;
  return {
    steps: totalSteps,
    rollouts,
    tokens: sampled + trained,
    ...estimateTime(totalSteps, secondsPerStep),
    cost: cost === null ? null : roundCents(cost),
    budget: limits.cost ?? null,
    max_tokens: limits.tokens ?? null,
    max_steps: limits.steps ?? null,
  };
}

/** As the last run took, between the quickest and the slowest that were measured. */
function estimateTime(
  steps: number,
  measured: readonly number[],
): Pick<RunEstimate, 'seconds' | 'seconds_high' | 'seconds_low'> {
  const [last] = measured;
  if (last === undefined) return { seconds: null, seconds_low: null, seconds_high: null };
  const at = (perStep: number): number => Math.round(steps * perStep);
  return { seconds: at(last), seconds_low: at(Math.min(...measured)), seconds_high: at(Math.max(...measured)) };
}

const roundCents = (cost: number): number => Math.round(cost * 100) / 100;
