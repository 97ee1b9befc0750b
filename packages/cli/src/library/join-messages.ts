import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';

/** The whole conversation at a turn, its first reply included; of the last turn when none is named. */
export function joinMessages(turns: readonly TrajectoryTurn[], turnIndex?: number): ChatMessage[] {
  const byIndex = new Map(turns.map((turn) => [turn.turn_index, turn]));
  const last = turnIndex === undefined ? turns.at(-1) : byIndex.get(turnIndex);
  const line: TrajectoryTurn[] = [];
  for (let turn = last; turn !== undefined && line.length <= turns.length;) {
    line.unshift(turn);
    turn = turn.parent_index === null ? undefined : byIndex.get(turn.parent_index);
  }
  let messages: ChatMessage[] = [];
  for (const turn of line) {
    const reply = turn.replies[0];
    messages = [...messages.slice(0, turn.kept_messages), ...turn.messages, ...(reply ? [reply.message] : [])];
  }
  return messages;
}
