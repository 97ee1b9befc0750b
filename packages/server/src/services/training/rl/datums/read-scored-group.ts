import type { GroupPayload } from '@lachesis/protocol/codec';
import type { ScoredGroup } from '../advantages.ts';
import type { ShapedScores, ShapeScores } from '../rlhf/shape-scores.ts';
import { readRollouts, type GroupRollouts } from './read-rollouts.ts';
import { readTrainedPositions, rowStarts, type IsTrained } from './trained-positions.ts';

/** A group as estimators see it, and what that was made of. */
export interface ReadGroup {
  group: ScoredGroup;
  rollouts: GroupRollouts;
  /** Trained tokens of each rollout, and of each sequence. */
  rolloutTokens: Uint32Array;
  trainedTokens: Uint32Array;
  shaped: ShapedScores | undefined;
  isTrained: IsTrained;
}

/** Or why the group cannot be read. */
export function readScoredGroup(
  payload: GroupPayload,
  shape: ShapeScores | undefined,
): ReadGroup | 'no-logprobs' | 'uneven-rows' {
  const { tokens, scores, inferenceLogprobs } = payload;
  const count = tokens.rowLengths.length;
  if (inferenceLogprobs === undefined) return 'no-logprobs';
  if (inferenceLogprobs.values.length !== tokens.values.length || scores.length !== count) return 'uneven-rows';
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
  const group = {
    scores: shaped?.scores ?? rollouts.scores,
    trainedTokens: rolloutTokens,
    // Few estimators ask for it, and it is as large as the batch.
    get sequences() {
      return readSequences(payload, rollouts, isTrained);
    },
  };
  return { group, rollouts, rolloutTokens, trainedTokens, shaped, isTrained };
}

function readSequences(
  { tokens, inferenceLogprobs }: GroupPayload,
  { rolloutOf }: GroupRollouts,
  isTrained: IsTrained,
): NonNullable<ScoredGroup['sequences']> {
  const starts = rowStarts(tokens.rowLengths);
  return Array.from(rolloutOf, (rollout, sequence) => {
    const [from, length] = [starts[sequence]!, tokens.rowLengths[sequence]!];
    return {
      rollout,
      tokens: Int32Array.from(tokens.values.subarray(from, from + length)),
      logprobs: Float32Array.from(inferenceLogprobs!.values.subarray(from, from + length)),
      mask: Float32Array.from({ length }, (_, position) => (position > 0 && isTrained(sequence, position) ? 1 : 0)),
    };
  });
}
