import type { ChatMessage, TrajectoryTurn } from '@lachesis/protocol';

export type TurnsByIndex = ReadonlyMap<number, TrajectoryTurn>;

/** In the order of their numbers, so that a parent comes before what continues it. */
export const indexTurns = (turns: readonly TrajectoryTurn[]): Map<number, TrajectoryTurn> =>
  new Map(turns.toSorted((a, b) => a.turn_index - b.turn_index).map((turn) => [turn.turn_index, turn]));

/** For each turn the messages that were sent in it, those kept from its parent included; its reply is not among them. */
export function promptsOf(turns: TurnsByIndex): Map<number, ChatMessage[]> {
  const prompts = new Map<number, ChatMessage[]>();
  for (const turn of turns.values()) {
    const parent = turn.parent_index === null ? undefined : turns.get(turn.parent_index);
    const before = parent === undefined ? [] : (prompts.get(parent.turn_index) ?? []);
    const reply = parent?.replies[0];
    const kept = before.slice(0, turn.kept_messages);
    if (reply !== undefined && turn.kept_messages > before.length) kept.push(reply.message);
    prompts.set(turn.turn_index, [...kept, ...turn.messages]);
  }
  return prompts;
}

/** From the first turn to this one, each continuing the one before. */
export function pathTo(turns: TurnsByIndex, turnIndex: number): TrajectoryTurn[] {
  const path: TrajectoryTurn[] = [];
  let at: number | null = turnIndex;
  while (at !== null) {
    const turn = turns.get(at);
    if (turn === undefined) break;
    path.push(turn);
    // A parent comes before: anything else would be a circle.
    at = turn.parent_index !== null && turn.parent_index < at ? turn.parent_index : null;
  }
  return path.toReversed();
}
