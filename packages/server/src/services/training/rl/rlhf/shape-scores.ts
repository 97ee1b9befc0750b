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
}: Pick<TrainerSection, 'length_penalty' | 'length_target' | 'reward_clip'>): ShapeScores | undefined {
  const limit = clip ?? Number.POSITIVE_INFINITY;
  if (limit === Number.POSITIVE_INFINITY && penalty === 0) return undefined;
  return ({ scores, trainedTokens }) => {
    let clipped = 0;
    let lengthPenalty = 0;
    const shaped = Float64Array.from(scores, (score, rollout) => {
      if (Math.abs(score) > limit) clipped += 1;
      const taken = penalty * Math.max(0, trainedTokens[rollout]! - target);
      lengthPenalty += taken;
      // After the clip: a reply that is far too long stays worse than one that is a little too long.
      return Math.min(limit, Math.max(-limit, score)) - taken;
    });
    return { scores: shaped, clipped, lengthPenalty };
  };
}
