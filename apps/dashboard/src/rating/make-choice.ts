import type { FeedbackInput } from '@lachesis/protocol';

/** A whole trajectory, or one reply of it. */
export interface ChosenSide {
  readonly trajectory: string;
  readonly turn?: number | undefined;
}

/** The same pair asked again revises the answer, whichever of the two was first. */
export const choiceKey = (one: ChosenSide, other: ChosenSide): string =>
  `choice:${[one, other]
    .map(({ trajectory, turn }) => (turn === undefined ? trajectory : `${trajectory}.${turn}`))
    .toSorted()
    .join(':')}`;

/** That one of two is better, as it is kept. */
export function makeChoice(better: ChosenSide, worse: ChosenSide, author: string): FeedbackInput {
  const name = ({ trajectory, turn }: ChosenSide) => ({
    trajectory_id: trajectory,
    ...(turn === undefined ? {} : { turn_index: turn }),
  });
  return {
    ...{ ...name(better), author, author_kind: 'person', key: choiceKey(better, worse) },
    ...{ kind: 'choice', over: name(worse) },
  };
}
