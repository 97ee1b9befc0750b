import type { TrajectoryTurn } from '@lachesis/protocol';
import { messageText } from '@lachesis/protocol/conversation';
import type { ReactNode } from 'react';

interface TurnChoiceProps {
  /** Those with a reply. */
  turns: readonly TrajectoryTurn[];
  current: TrajectoryTurn;
  onTurn: (turn: number) => void;
}

/** Which reply is meant. */
export function TurnChoice({ turns, current, onTurn }: TurnChoiceProps): ReactNode {
  return (
    <label className="turn-choice">
      <span className="soft">Reply of</span>
      <select value={current.turn_index} onChange={({ target }) => onTurn(Number(target.value))}>
        {turns.map((each) => (
          <option key={each.turn_id} value={each.turn_index}>
            turn {each.turn_index + 1}: {messageText(each.replies[0]?.message ?? { role: '' }).slice(0, 60)}
          </option>
        ))}
      </select>
    </label>
  );
}
