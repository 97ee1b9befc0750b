import type { TrainerSection } from '@lachesis/protocol';
import type { ScoredGroup } from '../advantages.ts';

/** Scores as they count, and what was done to them. */
export interface ShapedScores {
  scores: Float64Array;
  /** How many scores lay beyond the clip. */
  clipped: number;
  /** What length took away, over all rollouts. */
  lengthPenalty: number;
}

export type ShapeScores = (group: ScoredGroup) => ShapedScores;

/**
 * Clips scores and takes away for length. A reward model is right only near what it was trained on: a score far outside is its
 * mistake more often than the policy's merit, and long replies are the mistake it makes most.
 */
export function createScoreShaper({
  reward_clip: clip,
  length_target: target,
  length_penalty: penalty,
  overlong,
}: Pick<TrainerSection, 'length_penalty' | 'length_target' | 'reward_clip'> & {
  /** DAPO: within the last `buffer` tokens before `length` a score falls linearly by 1. */
  overlong?: { length: number; buffer: number } | undefined;
}): ShapeScores | undefined {
  const limit = clip ?? Number.POSITIVE_INFINITY;
  if (limit === Number.POSITIVE_INFINITY && penalty === 0 && overlong === undefined) return undefined;
  return ({ scores, trainedTokens }) => {
    let clipped = 0;
    let lengthPenalty = 0;
    const shaped = Float64Array.from(scores, (score, rollout) => {
      if (Math.abs(score) > limit) clipped += 1;
      const tokens = trainedTokens[rollout]!;
      const taken = penalty * Math.max(0, tokens - target) + punishLength(tokens, overlong);
      lengthPenalty += taken;
      // After the clip: a reply that is far too long stays worse than one that is a little too long.
      return Math.min(limit, Math.max(-limit, score)) - taken;
    });
    return { scores: shaped, clipped, lengthPenalty };
  };
}

/** Nothing up to the buffer, 1 from the longest length on, and a straight line between. */
function punishLength(tokens: number, overlong: { length: number; buffer: number } | undefined): number {
  if (overlong === undefined) return 0;
  return Math.min(1, Math.max(0, (tokens - (overlong.length - overlong.buffer)) / overlong.buffer));
}
