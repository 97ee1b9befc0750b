import type { SequenceLogprobs } from '@lachesis/protocol/codec';
import type { StepRollouts } from '@lachesis/store';
import type { ConvertedBatch } from '../datums/convert-batch.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';
import type { GroupOutline } from './outline-group.ts';

/** What a step is reported with: its batch as it was trained on, and what the trainer gave its tokens. */
export interface ReportedStep {
  step: number;
  batchId: string;
  /** The version of the weights before the step. */
  policyVersion: number;
  baseModel: string;
  converted: Pick<ConvertedBatch, 'outlines' | 'sequences'>;
  /** Of the trainer, one array per sequence of `converted`; absent for a step with nothing to learn from. */
  logprobs?: readonly Float32Array[] | undefined;
}

export interface DescribedRollouts {
  facts: Omit<StepRollouts, 'logprobs' | 'report'>;
  groups: GroupOutline[];
  /** Those that are to be kept. */
  logprobs: SequenceLogprobs[];
}

/** Says of every sequence of a step what it was worth, and chooses whose log probabilities are kept. */
export function describeRollouts(
  reported: ReportedStep,
  { interval, driftBound }: { interval: number; driftBound: number },
): DescribedRollouts {
  const { step, converted } = reported;
  const groups = converted.outlines.map((outline) => ({
    ...outline,
    // What is left out moves nothing.
    advantages: outline.left_out.map((reason) => (reason === null ? null : 0)) as (number | null)[],
    drift: outline.drift.slice(),
  }));
  const isKeptWhole = interval > 0 && step % interval === 0;
  const chosen: SequenceLogprobs[] = [];
  for (const [index, sequence] of converted.sequences.entries()) {
    const group = groups[sequence.group];
    const own = reported.logprobs?.[index];
    const { advantage, drift } = measureSequence(sequence, own);
    if (group !== undefined) {
      group.advantages[sequence.sequence] = round(advantage);
      group.drift[sequence.sequence] = drift === undefined ? null : round(drift);
    }
    if (own === undefined || drift === undefined) continue;
    if (isKeptWhole || (driftBound > 0 && drift > driftBound)) {
      chosen.push({ group: sequence.group, sequence: sequence.sequence, values: own });
    }
  }
  return { facts: { ...reportedFacts(reported), ...measureRewards(groups) }, groups, logprobs: chosen };
}

function reportedFacts({ step, batchId, policyVersion, converted }: ReportedStep) {
  const { outlines, sequences } = converted;
  return {
    step,
    batchId,
    policyVersion,
    groupCount: outlines.length,
    rolloutCount: outlines.reduce((sum, { rollouts }) => sum + new Set(rollouts).size, 0),
    trainedTokens: sequences.reduce((sum, { trainedTokens }) => sum + trainedTokens, 0),
    items: outlines.map(({ item }) => item),
  };
}

function measureSequence(
  { datum: { inputs }, trainedTokens }: TrainingSequence,
  own: Float32Array | undefined,
): { advantage: number; drift: number | undefined } {
  const { advantages, logprobs, weights } = inputs;
  let advantage = 0;
  let drift = 0;
  for (let position = 0; position < weights.length; position += 1) {
    if (weights[position] === 0) continue;
    advantage += advantages[position]!;
    if (own !== undefined) drift += Math.abs(own[position]! - logprobs[position]!);
  }
  const per = (sum: number): number => (trainedTokens === 0 ? 0 : sum / trainedTokens);
  return { advantage: per(advantage), drift: own === undefined ? undefined : per(drift) };
}

/** Over rollouts, not sequences: a rollout whose history was split counts once. */
function measureRewards(
  groups: readonly GroupOutline[],
): Pick<StepRollouts, 'rewardHigh' | 'rewardLow' | 'rewardMean'> {
  let count = 0;
  let sum = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { rollouts, scores } of groups) {
    const seen = new Set<number>();
    for (const [sequence, score] of scores.entries()) {
      const rollout = rollouts[sequence] ?? sequence;
      if (score === null || seen.has(rollout)) continue;
      seen.add(rollout);
      count += 1;
      sum += score;
      low = Math.min(low, score);
      high = Math.max(high, score);
    }
  }
  return count === 0
    ? { rewardMean: null, rewardLow: null, rewardHigh: null }
    : { rewardMean: sum / count, rewardLow: low, rewardHigh: high };
}

/** Six digits say all that single precision holds, in a third of the bytes. */
const round = (value: number): number | null => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null);
