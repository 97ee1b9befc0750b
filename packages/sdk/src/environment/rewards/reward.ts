import type { ChatMessage, ChatToolCall } from '@lachesis/protocol';
import type { Outcome } from '../outcome.ts';
import type { RolloutResult } from '../rollout/rollout-result.ts';

/** What a reward may look at. */
export interface RewardInput {
  /** The text that is graded, as a rule the last reply. */
  readonly answer: string;
  /** What was asked for, in the form the reward understands. */
  readonly expected?: unknown;
  readonly messages?: readonly ChatMessage[];
  readonly turnsUsed?: number;
  readonly toolCalls?: readonly ChatToolCall[];
  readonly toolsUsed?: readonly string[];
  readonly toolErrors?: readonly ChatMessage[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Grades an answer with an `Outcome`. It gives a failure back; it does not throw for what a model wrote or a server
 * did.
 */
export type Reward = (input: RewardInput) => Outcome | Promise<Outcome>;

/** The result of a rollout as a reward takes it: `reward(readRewardInput(result, item.answer))`. */
export const readRewardInput = (result: RolloutResult, expected?: unknown, signal?: AbortSignal): RewardInput => ({
  answer: result.finalResponse,
  expected,
  messages: result.messages,
  turnsUsed: result.turnsUsed,
  toolCalls: result.toolCalls,
  toolsUsed: result.toolsUsed,
  toolErrors: result.toolErrors,
  signal,
});
