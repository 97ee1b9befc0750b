import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';

/** What of a turn says which messages it has. */
type ConversationTurn = Pick<TrajectoryTurn, 'turn_index' | 'parent_index' | 'kept_messages' | 'messages' | 'replies'>;

/** The whole conversation at a turn, its first reply included; empty for a turn that is not there. */
export function readConversation(turns: readonly ConversationTurn[], turnIndex: number): ChatMessage[] {
  const request = readRequest(turns, turnIndex);
  const reply = findTurn(turns, turnIndex)?.replies[0]?.message;
  return reply === undefined ? request : [...request, reply];
}

/** The messages that were sent at a turn, without the reply. */
export function readRequest(turns: readonly ConversationTurn[], turnIndex: number): ChatMessage[] {
  const parts: ChatMessage[][] = [];
  let turn = findTurn(turns, turnIndex);
  let kept = Number.POSITIVE_INFINITY;
  let isOwn = true;
  // From the turn back to the first one: each gives what its child kept of it beyond what it kept itself.
  while (turn !== undefined) {
    const reply = turn.replies[0]?.message;
    const own = isOwn || reply === undefined ? turn.messages : [...turn.messages, reply];
    parts.push(own.slice(0, Math.max(0, kept - turn.kept_messages)));
    kept = Math.min(kept, turn.kept_messages);
    isOwn = false;
    turn = turn.parent_index === null ? undefined : findTurn(turns, turn.parent_index);
  }
  return parts.toReversed().flat();
}

function findTurn(turns: readonly ConversationTurn[], turnIndex: number): ConversationTurn | undefined {
  const turn = turns[turnIndex];
  return turn?.turn_index === turnIndex ? turn : turns.find((other) => other.turn_index === turnIndex);
}
