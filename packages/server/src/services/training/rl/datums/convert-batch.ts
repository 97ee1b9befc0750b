import type { GroupPayload } from '@lachesis/protocol/codec';
import type { AdvantageEstimator } from '../advantages.ts';
import type { ShapeScores } from '../rlhf/shape-scores.ts';
import { convertGroup, type LeftOutReason, type TrainingSequence } from './convert-group.ts';
import { readRollouts } from './read-rollouts.ts';

/** A batch as a step needs it. */
export interface ConvertedBatch {
  sequences: TrainingSequence[];
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
  totalTokens: number;
  /** What scores counted for, where they are clipped or length costs; shares and means over all rollouts. */
  shaped?: { mean: number; clippedShare: number; lengthPenalty: number } | undefined;
  meanLength: number;
}

/** Turns the groups of a batch into datums. Typed arrays in, typed arrays out; nothing is parsed but `overrides`. */
export function convertBatch(options: {
  groups: readonly GroupPayload[];
  estimate: AdvantageEstimator;
  maxTokens: number;
  shape?: ShapeScores | undefined;
  includesEqualGroups?: boolean | undefined;
}): ConvertedBatch {
  const { groups, estimate, maxTokens, shape, includesEqualGroups: keepsEqual } = options;
  const sequences: TrainingSequence[] = [];
  const leftOut: BatchFacts['leftOut'] = {};
  const rewards = createMoments();
  const advantages = createMoments();
  let deadGroups = 0;
  let trainedTokens = 0;
  let totalTokens = 0;
  let lengths = 0;
  const counted = createMoments();
  let clipped = 0;
  let lengthPenalty = 0;
  for (const [group, payload] of groups.entries()) {
    const converted = convertGroup({ payload, group, estimate, maxTokens, shape, includesEqualGroups: keepsEqual });
    for (const score of readRollouts(payload).scores) rewards.add(score);
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
      const { advantages: values, weights } = sequence.datum.inputs;
      for (let position = 0; position < values.length; position += 1) {
        if (weights[position] !== 0) advantages.add(values[position]!);
      }
      trainedTokens += sequence.trainedTokens;
      sequences.push(sequence);
    }
  }
  return {
    sequences,
    facts: {
      groups: groups.length,
      deadGroups,
      leftOut,
      rewardMean: rewards.mean(),
      rewardStd: rewards.deviation(),
      advantageMean: advantages.mean(),
      advantageStd: advantages.deviation(),
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
    },
  };
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
