import type { GroupPayload } from '@lachesis/protocol/codec';
import type { AdvantageEstimator, BatchEstimator } from '../advantages.ts';
import type { ShapeScores } from '../rlhf/shape-scores.ts';
import { convertGroup, type LeftOutReason, type TrainingSequence } from './convert-group.ts';
import { measureReplies, type ReplyFacts } from './measure-replies.ts';
import { outlineGroup, type GroupOutline } from '../rollouts/outline-group.ts';
import { readRollouts } from './read-rollouts.ts';
import { readScoredGroup } from './read-scored-group.ts';

/** A batch as a step needs it. */
export interface ConvertedBatch {
  sequences: TrainingSequence[];
  /** Every group of the batch, those that are left out too. */
  outlines: GroupOutline[];
  facts: BatchFacts;
}

/** What is told about a batch, whatever becomes of it. Scores of groups that are left out count too. */
export interface BatchFacts {
  groups: number;
  deadGroups: number;
  /** Sequences that bring nothing, by reason. */
  leftOut: Partial<Record<LeftOutReason, number>>;
  /** Over the rollouts of the batch. */
  rewardMean: number;
  rewardStd: number;
  /** Over the trained tokens of the batch. */
  advantageMean: number;
  advantageStd: number;
  trainedTokens: number;
  /** Sequences that count for less because they are old. */
  downweighted?: number | undefined;
  totalTokens: number;
  /** What scores counted for, where they are clipped or length costs; shares and means over all rollouts. */
  shaped?: { mean: number; clippedShare: number; lengthPenalty: number } | undefined;
  meanLength: number;
  replies: ReplyFacts;
  /** Scores of all rollouts of the batch. */
  rewards: Float64Array;
  /** Rollouts that environments made for these groups and left out of them. */
  setAside: { groups: number; rollouts: number; rewardSum: number };
}

/** Turns the groups of a batch into datums. Typed arrays in, typed arrays out; nothing is parsed but `overrides`. */
export function convertBatch(options: {
  groups: readonly GroupPayload[];
  estimate: AdvantageEstimator | BatchEstimator;
  maxTokens: number;
  shape?: ShapeScores | undefined;
  includesEqualGroups?: boolean | undefined;
  /** Rollouts of so many trained tokens are left out. */
  overlongTokens?: number | undefined;
  distillation?: { hasTeacher: boolean; countsReward: boolean } | undefined;
}): ConvertedBatch {
  const { groups, maxTokens, shape, includesEqualGroups: keepsEqual, overlongTokens, distillation } = options;
  const estimateOf = spreadEstimate(options);
  const sequences: TrainingSequence[] = [];
  const outlines: GroupOutline[] = [];
  const leftOut: BatchFacts['leftOut'] = {};
  const rewards = createMoments();
  let deadGroups = 0;
  let trainedTokens = 0;
  let totalTokens = 0;
  let lengths = 0;
  const counted = createMoments();
  let clipped = 0;
  let lengthPenalty = 0;
  const scores: number[] = [];
  const setAside = { groups: 0, rollouts: 0, rewardSum: 0 };
  for (const [group, payload] of groups.entries()) {
    const estimate = estimateOf(group);
    const converted = convertGroup({
      ...{ payload, group, estimate, maxTokens, shape, includesEqualGroups: keepsEqual, overlongTokens, distillation },
    });
    outlines.push(outlineGroup(payload, converted));
    for (const score of readRollouts(payload).scores) {
      rewards.add(score);
      scores.push(score);
    }
    const { set_aside: aside } = payload.header;
    setAside.groups += aside?.groups ?? 0;
    setAside.rollouts += aside?.rollouts ?? 0;
    setAside.rewardSum += aside?.reward_sum ?? 0;
    for (const score of converted.shaped?.scores ?? []) counted.add(score);
    clipped += converted.shaped?.clipped ?? 0;
    lengthPenalty += converted.shaped?.lengthPenalty ?? 0;
    totalTokens += payload.tokens.values.length;
    lengths += payload.tokens.rowLengths.length;
    if (converted.leftOut.dead !== undefined) deadGroups += 1;
    for (const [reason, count] of Object.entries(converted.leftOut) as [LeftOutReason, number][]) {
      leftOut[reason] = (leftOut[reason] ?? 0) + count;
    }
    for (const sequence of converted.sequences) {
      trainedTokens += sequence.trainedTokens;
      sequences.push(sequence);
    }
  }
  return {
    sequences,
    outlines,
    facts: {
      groups: groups.length,
      deadGroups,
      leftOut,
      rewardMean: rewards.mean(),
      rewardStd: rewards.deviation(),
      ...measureAdvantages(sequences),
      trainedTokens,
      totalTokens,
      ...(shape === undefined || counted.count() === 0
        ? {}
        : {
            shaped: {
              mean: counted.mean(),
              clippedShare: clipped / counted.count(),
              lengthPenalty: lengthPenalty / counted.count(),
            },
          }),
      meanLength: lengths === 0 ? 0 : totalTokens / lengths,
      replies: measureReplies(groups),
      rewards: Float64Array.from(scores),
      setAside,
    },
  };
}

/** Over the trained tokens. */
export function measureAdvantages(
  sequences: readonly TrainingSequence[],
): Pick<BatchFacts, 'advantageMean' | 'advantageStd'> {
  const moments = createMoments();
  for (const { datum } of sequences) {
    const { advantages, weights } = datum.inputs;
    for (let position = 0; position < advantages.length; position += 1) {
      if (weights[position] !== 0) moments.add(advantages[position]!);
    }
  }
  return { advantageMean: moments.mean(), advantageStd: moments.deviation() };
}

/** The estimator of each group; one that looks at the whole batch is asked once. */
function spreadEstimate({
  groups,
  estimate,
  shape,
}: Pick<Parameters<typeof convertBatch>[0], 'estimate' | 'groups' | 'shape'>): (group: number) => AdvantageEstimator {
  if (typeof estimate === 'function') return () => estimate;
  const scored = groups.map((payload) => readScoredGroup(payload, shape));
  const readable = scored.flatMap((group) => (typeof group === 'string' ? [] : [group.group]));
  const estimated = estimate.estimateBatch(readable)[Symbol.iterator]();
  // A group that cannot be read is left out before its estimator is asked.
  const advantages = scored.map((group) => (typeof group === 'string' ? undefined : estimated.next().value));
  return (group) => () => advantages[group] ?? new Float64Array();
}

/** Mean and population deviation in one pass (Welford), because a batch has millions of tokens. */
function createMoments(): { add(value: number): void; count(): number; mean(): number; deviation(): number } {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      count += 1;
      const delta = value - mean;
      mean += delta / count;
      squares += delta * (value - mean);
    },
    count: () => count,
    mean: () => mean,
    deviation: () => (count === 0 ? 0 : Math.sqrt(squares / count)),
  };
}
