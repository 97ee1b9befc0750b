import type { GroupPayload } from '@lachesis/protocol/codec';
import type { Datum } from '@lachesis/tinker';
import type { AdvantageEstimator } from '../advantages.ts';
import { readWireTeacher } from '../distill/read-wire-teacher.ts';
import type { ShapedScores, ShapeScores } from '../rlhf/shape-scores.ts';
import { readZeroedSequences } from './read-overrides.ts';
import { readScoredGroup } from './read-scored-group.ts';
import { rowStarts } from './trained-positions.ts';

/** Why a group, or a sequence of it, brings nothing to a step. */
export type LeftOutReason =
  | 'dead'
  | 'no-logprobs'
  | 'not-trained'
  | 'overlong'
  | 'too-long'
  | 'too-old'
  | 'uneven-rows';

/** A datum with what is needed to compare the sampler with the trainer. */
export interface TrainingSequence {
  datum: Datum & {
    inputs: { target_tokens: Int32Array; logprobs: Float32Array; advantages: Float32Array; weights: Float32Array };
  };
  group: number;
  sequence: number;
  /** Which rollout of its group it is of, and what the environment gave that one. */
  rollout: number;
  score: number;
  trainedTokens: number;
  /** The oldest and the newest policy version that sampled its tokens, when the environment said so. */
  versions: { oldest: number; newest: number } | undefined;
  /** Log probabilities of the targets under the teacher that the group brought; NaN where that one says nothing. */
  wireTeacher?: Float32Array | undefined;
  /** How much it counts for because it is old; 1 when absent. */
  ageWeight?: number | undefined;
}

export interface ConvertedGroup {
  sequences: TrainingSequence[];
  /** One per sequence; absent where the group could not be read. */
  trainedTokens?: Uint32Array | undefined;
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
  /** Rollouts of so many trained tokens were cut off: they are left out; their scores still count for the others. */
  overlongTokens?: number | undefined;
  /** Whether a teacher speaks of every group, and whether scores count beside one; a teacher of the group is read where this is given. */
  distillation?: { hasTeacher: boolean; countsReward: boolean } | undefined;
}): ConvertedGroup {
  const { payload, group, estimate, maxTokens, shape, distillation } = options;
  const { overlongTokens = Number.POSITIVE_INFINITY } = options;
  const { tokens, inferenceLogprobs } = payload;
  const count = tokens.rowLengths.length;
  const scored = readScoredGroup(payload, shape);
  if (typeof scored === 'string') return leaveOut(scored, count);
  const { rollouts, rolloutTokens, trainedTokens, shaped, isTrained } = scored;
  const starts = rowStarts(tokens.rowLengths);
  // A rollout weighs once, however many sequences it has; each of them carries its advantage.
  const perRollout = estimate(scored.group);
  const perSequence = Float64Array.from(rollouts.rolloutOf, (rollout) => perRollout[rollout]!);
  for (const sequence of readZeroedSequences(payload)) if (sequence < count) perSequence[sequence] = 0;
  const perToken = payload.advantages?.values.length === tokens.values.length ? payload.advantages.values : undefined;
  const teacherOf = distillation === undefined ? undefined : readWireTeacher(payload);
  const keepsEqual = options.includesEqualGroups === true || teacherOf !== undefined;
  if (perToken === undefined && !keepsEqual && perSequence.every((value) => value === 0)) {
    return { ...leaveOut('dead', count), shaped, trainedTokens };
  }

  const versions = readVersions(payload);
  const converted: ConvertedGroup = { sequences: [], leftOut: {}, shaped, trainedTokens };
  for (let sequence = 0; sequence < count; sequence += 1) {
    const length = tokens.rowLengths[sequence]!;
    const isOverlong = rolloutTokens[rollouts.rolloutOf[sequence]!]! >= overlongTokens;
    const reason =
      length > maxTokens
        ? 'too-long'
        : trainedTokens[sequence] === 0
          ? 'not-trained'
          : isOverlong
            ? 'overlong'
            : undefined;
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
    const said =
      teacherOf &&
      readTeacherRow(targets, (position) =>
        isTrained(sequence, position) ? teacherOf(sequence, position) : Number.NaN,
      );
    const isTaught = said !== undefined || distillation?.hasTeacher === true;
    const countsScores = !isTaught || distillation?.countsReward === true;
    for (let position = 0; position < targets; position += 1) {
      const at = start + position + 1;
      inputs[position] = tokens.values[at - 1]!;
      targetTokens[position] = tokens.values[at]!;
      if (!isTrained(sequence, position + 1)) continue;
      logprobs[position] = inferenceLogprobs!.values[at]!;
      if (countsScores) advantages[position] = perToken === undefined ? advantage : perToken[at]!;
      weights[position] = 1;
    }
    converted.sequences.push({
      datum: { tokens: inputs, inputs: { target_tokens: targetTokens, logprobs, advantages, weights } },
      group,
      sequence,
      rollout: rollouts.rolloutOf[sequence]!,
      score: rollouts.scores[rollouts.rolloutOf[sequence]!]!,
      trainedTokens: trainedTokens[sequence]!,
      versions: versions.get(sequence),
      ...(said === undefined ? {} : { wireTeacher: said }),
    });
  }
  return converted;
}

/** What a teacher says of each target, which is the token behind its position; undefined where it says nothing at all. */
function readTeacherRow(targets: number, read: (position: number) => number): Float32Array | undefined {
  const row = Float32Array.from({ length: targets }, (_, position) => read(position + 1));
  return row.every(Number.isNaN) ? undefined : row;
}

const leaveOut = (reason: LeftOutReason, count: number): ConvertedGroup => ({
  sequences: [],
  leftOut: { [reason]: count },
});

/** The oldest and the newest policy version of each sequence that says so. */
export function readVersions({
  policyRanges: quads,
}: Pick<GroupPayload, 'policyRanges'>): Map<number, { oldest: number; newest: number }> {
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
