import type { ChatMessage, RolloutGroup } from '@lachesis/protocol';
import { useMemo, useRef, type ReactNode } from 'react';
import { useKeys } from '../../shell/keys.ts';
import { readMessages } from '../group-page.tsx';
import { writeScore } from '../groups/mount-group-strip.ts';
import { Mounted } from '../mounted.tsx';
import { countShared } from './count-shared.ts';
import { mountTurnDiff, type TurnDiff } from './mount-turn-diff.ts';

type Sequence = RolloutGroup['sequences'][number];

/** One of two things that are compared. */
export interface Side {
  name: string;
  facts: string;
  messages: readonly ChatMessage[];
}

interface SidesProps {
  sides: readonly [Side, Side];
  /** How many tokens both begin with; undefined where they are not known. */
  shared?: number | undefined;
}

/** Two rollouts, and how many tokens they have in common from the first one on. */
export function compareSequences(left: Sequence, right: Sequence): SidesProps {
  const [ofLeft, ofRight] = [left.tokens, right.tokens].map((tokens) => tokens?.map((token) => token ?? -1));
  const shared = ofLeft === undefined || ofRight === undefined ? undefined : countShared(ofLeft, ofRight);
  return { sides: [toSide(left), toSide(right)], shared };
}

const toSide = (sequence: Sequence): Side => ({
  name: `rollout ${sequence.rollout + 1}`,
  facts: `reward ${sequence.score === null ? '–' : writeScore(sequence.score)} · advantage ${
    sequence.advantage === null ? '–' : writeScore(sequence.advantage)
  } · ${sequence.length.toLocaleString('en')} tokens`,
  messages: readMessages(sequence),
});

/** Two conversations beside each other: turns aligned, then the tokens they share, then words. */
export function Sides({ sides, shared }: SidesProps): ReactNode {
  const diff = useRef<TurnDiff>(undefined);
  useKeys([
    { keys: 'n', label: 'next difference', run: () => diff.current?.step(1) },
    { keys: 'p', label: 'previous difference', run: () => diff.current?.step(-1) },
  ]);
  const options = useMemo(() => ({ left: sides[0].messages, right: sides[1].messages }), [sides]);
  return (
    <>
      <div className="diff-columns">
        {sides.map((side, index) => (
          <div key={index} className="diff-side">
            <h2 className="cut">{side.name}</h2>
            <p className="soft">{side.facts}</p>
          </div>
        ))}
      </div>
      {shared !== undefined && (
        <p>
          The first {shared.toLocaleString('en')} tokens are the same, one by one. <kbd>n</kbd> <kbd>p</kbd> go from
          difference to difference.
        </p>
      )}
      <Mounted mount={mountTurnDiff} options={options} handle={diff} className="tall" />
    </>
  );
}
