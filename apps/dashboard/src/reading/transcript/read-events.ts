import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';
import { messageText } from '@lachesis/protocol/conversation';

/** What stands in one row of a transcript. */
export type TranscriptEvent =
  | (EventPlace & {
      readonly kind: 'message';
      readonly message: ChatMessage;
      /** How the reply ended, where that is not by itself. */
      readonly ended: string | undefined;
    })
  | (EventPlace & {
      readonly kind: 'tool';
      readonly name: string;
      readonly given: string;
      /** What the tool said; undefined where no answer was recorded. */
      result: string | undefined;
    })
  | (EventPlace & { readonly kind: 'error'; readonly message: string; readonly status: number | null });

interface EventPlace {
  readonly turn: number;
  /** The first row of its turn. */
  readonly isFirst: boolean;
  /** The turn goes on from another one than the one before it. */
  readonly isFork: boolean;
  /** The turn this one goes on from. */
  readonly parent: number | null;
}

const PLAIN_ENDS = new Set(['stop', 'tool_calls', 'end_turn', 'tool_use']);

/** The rows of a trajectory: what each turn brought, with the answer of a tool beside its call. */
export function readEvents(turns: readonly TrajectoryTurn[]): TranscriptEvent[] {
  const events: TranscriptEvent[] = [];
  const calls = new Map<string, TranscriptEvent & { kind: 'tool' }>();
  for (const [place, turn] of turns.entries()) {
    const before = place === 0 ? null : (turns[place - 1]?.turn_index ?? null);
    const isFork = place > 0 && turn.parent_index !== before;
    let isFirst = true;
    const mark = (): EventPlace => {
      const marked = { turn: turn.turn_index, isFirst, isFork: isFork && isFirst, parent: turn.parent_index };
      isFirst = false;
      return marked;
    };
    const add = (message: ChatMessage, ended?: string): void => {
      if (message.role === 'tool') return addResult(message);
      // Text and thinking are parted when the row is drawn: of a hundred thousand a reader sees some.
      if (!isCallAlone(message)) events.push({ kind: 'message', ...mark(), message, ended });
      for (const { id, function: called } of message.tool_calls ?? []) {
        const event = {
          kind: 'tool' as const,
          ...mark(),
          name: called.name,
          given: called.arguments,
          result: undefined,
        };
        events.push(event);
        if (id !== null && id !== undefined) calls.set(id, event);
      }
    };
    const addResult = (message: ChatMessage): void => {
      const call = calls.get(message.tool_call_id ?? '');
      if (call !== undefined && call.result === undefined) call.result = messageText(message);
      else
        events.push({ kind: 'tool', ...mark(), name: message.name ?? 'tool', given: '', result: messageText(message) });
    };
    for (const message of turn.messages) add(message);
    for (const { message, finish_reason: reason } of turn.replies) {
      add(message, reason === null || PLAIN_ENDS.has(reason) ? undefined : reason);
    }
    if (turn.error !== null) {
      events.push({ kind: 'error', ...mark(), message: turn.error.message, status: turn.error.status });
    }
  }
  return events;
}

/** Whether a message says nothing besides what it calls. */
function isCallAlone({ content, reasoning_content: reasoning, tool_calls: calls }: ChatMessage): boolean {
  const isSilent = content === null || content === undefined || content === '';
  return isSilent && (reasoning ?? '') === '' && (calls ?? []).length > 0;
}

/** The rows of a conversation that came without its turns, as a rollout of a group does. */
export function readMessageEvents(messages: readonly ChatMessage[]): TranscriptEvent[] {
  const turn = {
    ...{ turn_id: '', turn_index: 0, parent_index: null, kept_messages: 0, kind: 'messages' as const },
    ...{
      state: 'complete' as const,
      tools: null,
      sampling: null,
      replies: [],
      model: null,
      upstream: null,
      usage: null,
    },
    ...{ cost: null, is_stream: false, error: null, started_at: 0, first_token_at: null, ended_at: 0 },
  };
  return readEvents([{ ...turn, messages: [...messages] }]);
}
