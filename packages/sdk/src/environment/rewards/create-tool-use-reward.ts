import { scored } from '../outcome.ts';
import type { Reward } from './reward.ts';

export interface ToolUseRewardOptions {
  /** Tools that have to be called; without it one call of any tool is enough. */
  readonly tools?: readonly string[];
  /** What each call that ended in an error takes off. Default 0.1. */
  readonly penaltyPerError?: number;
}

/** The share of the wanted tools that was called, less what errors cost, at least 0. */
export function createToolUseReward({ tools, penaltyPerError = 0.1 }: ToolUseRewardOptions = {}): Reward {
  return ({ toolsUsed = [], toolErrors = [] }) => {
    const used = tools === undefined ? Math.min(1, toolsUsed.length) : countUsed(tools, toolsUsed);
    return scored(Math.max(0, used - penaltyPerError * toolErrors.length), { tool_errors: toolErrors.length });
  };
}

const countUsed = (wanted: readonly string[], used: readonly string[]): number =>
  wanted.length === 0 ? 1 : wanted.filter((name) => used.includes(name)).length / wanted.length;
