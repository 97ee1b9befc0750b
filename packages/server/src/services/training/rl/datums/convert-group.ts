import type { GroupPayload } from '@lachesis/protocol/codec';
import type { Datum } from '@lachesis/tinker';
import type { AdvantageEstimator } from '../advantages.ts';
import type { ShapedScores, ShapeScores } from '../rlhf/shape-scores.ts';
import { readZeroedSequences } from './read-overrides.ts';
import { readRollouts } from './read-rollouts.ts';
import { readTrainedPositions, rowStarts } from './trained-positions.ts';

/** Why a group, or a sequence of it, brings nothing to a step. */
export type LeftOutReason = 'dead' | 'no-logprobs' | 'not-trained' | 'too-long' | 'uneven-rows';

/** A datum with what is needed to compare the sampler with the trainer. */
export interface TrainingSequence {
  datum: Datum & {
    inputs: { target_tokens: Int32Array; logprobs: Float32Array; advantages: Float32Array; weights: Float32Array };
  };
  group: number;
  sequence: number;
  trainedTokens: number;
  /** The oldest and the newest policy version that sampled its tokens, when the environment said so. */
  versions: { oldest: number; newest: number } | undefined;
}

export interface ConvertedGroup {
  sequences: TrainingSequence[];
  /** Sequences that bring nothing, by reason. */
  leftOut: Partial<Record<LeftOutReason, number>>;
  /** Absent where scores are taken as they are, or were not read. */
  shaped?: ShapedScores | undefined;
}

/** A group as datums: inputs are all tokens but the last, targets all but the first. */
export function convertGroup(options: {
  payload: GroupPayload;
  group: number;
  estimate: AdvantageEstimator;
  /** Longer sequences are left out; their scores still count for the others. */
  maxTokens: number;
  /** What the scores count for; they themselves when absent. */
  shape?: ShapeScores | undefined;
  /** Groups of equal scores stay, with advantages of 0: something else will be added to them. */
  includesEqualGroups?: boolean | undefined;
}): ConvertedGroup {
  const { payload, group, estimate, maxTokens, shape, includesEqualGroups: keepsEqual = false } = options;
  const { tokens, scores, inferenceLogprobs } = payload;
  const count = tokens.rowLengths.length;
  if (inferenceLogprobs === undefined) return leaveOut('no-logprobs', count);
  if (inferenceLogprobs.values.length !== tokens.values.length || scores.length !== count) {
    return leaveOut('uneven-rows', count);
  }
  const starts = rowStarts(tokens.rowLengths);
  const isTrained = readTrainedPositions(payload);
  const trainedTokens = new Uint32Array(count);
  for (let sequence = 0; sequence < count; sequence += 1) {
    // The first token has no prediction before it, so it is never a target.
    for (let position = 1; position < tokens.rowLengths[sequence]!; position += 1) {
      if (isTrained(sequence, position)) trainedTokens[sequence]! += 1;
    }
  }
  const rollouts = readRollouts(payload);
  const rolloutTokens = new Uint32Array(rollouts.scores.length);
  rollouts.rolloutOf.forEach((rollout, sequence) => (rolloutTokens[rollout]! += trainedTokens[sequence]!));
  const shaped = shape?.({ scores: rollouts.scores, trainedTokens: rolloutTokens });
  // A rollout weighs once, however many sequences it has; each of them carries its advantage.
  const perRollout = estimate({ scores: shaped?.scores ?? rollouts.scores, trainedTokens: rolloutTokens });
  const perSequence = Float64Array.from(rollouts.rolloutOf, (rollout) => perRollout[rollout]!);
  for (const sequence of readZeroedSequences(payload)) if (sequence < count) perSequence[sequence] = 0;
  const perToken = payload.advantages?.values.length === tokens.values.length ? payload.advantages.values : undefined;
  if (perToken === undefined && !keepsEqual && perSequence.every((value) => value === 0)) {
    return { ...leaveOut('dead', count), shaped };
  }

  const versions = readVersions(payload);
  const converted: ConvertedGroup = { sequences: [], leftOut: {}, shaped };
  for (let sequence = 0; sequence < count; sequence += 1) {
    const length = tokens.rowLengths[sequence]!;
    const reason = length > maxTokens ? 'too-long' : trainedTokens[sequence] === 0 ? 'not-trained' : undefined;
    if (reason !== undefined) {
      converted.leftOut[reason] = (converted.leftOut[reason] ?? 0) + 1;
      continue;
    }
    const start = starts[sequence]!;
    const targets = length - 1;
    const inputs = new Int32Array(targets);
    const targetTokens = new Int32Array(targets);
    const logprobs = new Float32Array(targets);
    const advantages = new Float32Array(targets);
    const weights = new Float32Array(targets);
    const advantage = perSequence[sequence]!;
    for (let position = 0; position < targets; position += 1) {
      const at = start + position + 1;
      inputs[position] = tokens.values[at - 1]!;
      targetTokens[position] = tokens.values[at]!;
      if (!isTrained(sequence, position + 1)) continue;
      logprobs[position] = inferenceLogprobs.values[at]!;
      advantages[position] = perToken === undefined ? advantage : perToken[at]!;
      weights[position] = 1;
    }
    converted.sequences.push({
      datum: { tokens: inputs, inputs: { target_tokens: targetTokens, logprobs, advantages, weights } },
      group,
      sequence,
      trainedTokens: trainedTokens[sequence]!,
      versions: versions.get(sequence),
    });
  }
  return converted;
}

const leaveOut = (reason: LeftOutReason, count: number): ConvertedGroup => ({
  sequences: [],
  leftOut: { [reason]: count },
});

function readVersions({ policyRanges: quads }: GroupPayload): Map<number, { oldest: number; newest: number }> {
  const versions = new Map<number, { oldest: number; newest: number }>();
  if (quads === undefined) return versions;
  for (let quad = 0; quad + 3 < quads.length; quad += 4) {
    const [sequence, version] = [quads[quad]!, quads[quad + 3]!];
    const known = versions.get(sequence);
    versions.set(sequence, {
      oldest: Math.min(known?.oldest ?? version, version),
      newest: Math.max(known?.newest ?? version, version),
    });
  }
  return versions;
}
