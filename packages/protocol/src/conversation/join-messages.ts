import type { ChatMessage } from '../chat/message.ts';
import type { TrajectoryTurn } from '../trajectory/trajectory.ts';

/** The whole conversation at a turn, its first reply included; of the last turn when none is named. */
export function joinMessages(turns: readonly TrajectoryTurn[], turnIndex?: number): ChatMessage[] {
  const byIndex = new Map(turns.map((turn) => [turn.turn_index, turn]));
  const last = turnIndex === undefined ? turns.at(-1) : byIndex.get(turnIndex);
  const line: TrajectoryTurn[] = [];
  for (let turn = last; turn !== undefined && line.length <= turns.length;) {
    line.push(turn);
    turn = turn.parent_index === null ? undefined : byIndex.get(turn.parent_index);
  }
  const messages: ChatMessage[] = [];
  for (const turn of line.reverse()) {
    // In place: a run of a hundred thousand turns is joined in one pass.
    messages.length = Math.min(messages.length, turn.kept_messages);
    messages.push(...turn.messages);
    const reply = turn.replies[0];
    if (reply !== undefined) messages.push(reply.message);
  }
  return messages;
}
