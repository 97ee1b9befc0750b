import type { CallTokens, ChatMessage, TrajectorySummary, TrajectoryTurn } from '@lachesis/protocol';
import type { RecordedTrajectory } from './to-data-records.ts';

export interface TurnInput {
  readonly parent?: number | null;
  readonly kept?: number;
  readonly messages: readonly ChatMessage[];
  readonly replies?: readonly ChatMessage[];
  readonly tokens?: readonly (CallTokens | null)[];
  readonly state?: TrajectoryTurn['state'];
}

export const user = (content: string): ChatMessage => ({ role: 'user', content });
export const reply = (content: string): ChatMessage => ({ role: 'assistant', content });

/** A trajectory of these turns, each continuing the one before unless it says otherwise. */
export function makeTrajectory(
  inputs: readonly TurnInput[],
  summary: Partial<TrajectorySummary> = {},
): RecordedTrajectory {
  let length = 0;
  const turns = inputs.map((input, index): TrajectoryTurn => {
    const parent = input.parent === undefined ? (index === 0 ? null : index - 1) : input.parent;
    const kept = input.kept ?? (parent === null ? 0 : length);
    const replies = input.replies ?? [reply(`reply ${index}`)];
    length = kept + input.messages.length + Math.min(1, replies.length);
    return {
      turn_id: `turn-${index}`,
      turn_index: index,
      parent_index: parent,
      kept_messages: kept,
      kind: 'call',
      state: input.state ?? 'complete',
      messages: [...input.messages],
      tools: null,
      sampling: null,
      replies: replies.map((message, choice) => ({
        message,
        finish_reason: 'stop',
        tokens: input.tokens?.[choice] ?? null,
        tokens_missing: (input.tokens?.[choice] ?? null) === null ? 'backend-returns-none' : null,
      })),
      model: 'm',
      upstream: null,
      usage: null,
      cost: null,
      is_stream: false,
      error: null,
      started_at: 0,
      first_token_at: null,
      ended_at: 1_000 * index,
    };
  });
  return {
    turns,
    summary: {
      trajectory_id: 't',
      key: null,
      run_id: null,
      source: 'test',
      model: 'm',
      user: null,
      title: '',
      outcome: null,
      reason: null,
      reward: null,
      rating: null,
      split: 'train',
      consent: 'train',
      tags: [],
      turn_count: turns.length,
      tool_call_count: 0,
      error_count: 0,
      token_count: null,
      completion_tokens: 0,
      cost: null,
      has_tokens: false,
      missing_records: 0,
      started_at: 0,
      updated_at: 0,
      ended_at: null,
      ...summary,
    },
  };
}
