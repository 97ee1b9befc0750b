import { EnvironmentError } from '../environment-error.ts';
import { scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

export interface EfficiencyRewardOptions {
  /** Turns that cost nothing. Default 1. */
  readonly freeTurns?: number;
  /** Turns at which nothing is left. */
  readonly maxTurns: number;
}

/** 1 for few turns, falling evenly to 0 at `maxTurns`. */
export function createEfficiencyReward({ freeTurns = 1, maxTurns }: EfficiencyRewardOptions): Reward {
  if (!(maxTurns > freeTurns))
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `Efficiency cannot fall from ${freeTurns} turns to ${maxTurns}.`,
      hint: 'Give maxTurns of more than freeTurns.',
    });
  return ({ turnsUsed = 1 }) =>
    scored(Math.min(1, Math.max(0, (maxTurns - turnsUsed) / (maxTurns - freeTurns))), { turns: turnsUsed });
}
