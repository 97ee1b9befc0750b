/** How a rollout ended. Only `scored` has a number: what went wrong around the answer is never a reward of 0. */
export type Outcome = Scored | Failed | Abstained;

export interface Scored {
  readonly kind: 'scored';
  readonly reward: number;
  /** The parts of the reward by name, for metrics and for the page of rollouts. */
  readonly signals?: Readonly<Record<string, number>>;
  /** What each turn of the model earned by itself, besides the reward; its tokens and those before are credited with it. */
  readonly turns?: readonly number[];
  /** What a reader of the row has to know about how the number came to be, such as `heuristic:keywords`. */
  readonly marks?: readonly string[];
}

/** `verifier`: what grades broke. `timeout`: time ran out. `infrastructure`: anything else around the rollout. */
export type FailureKind = 'infrastructure' | 'timeout' | 'verifier';

export interface Failed {
  readonly kind: 'failed';
  readonly failure: FailureKind;
  readonly reason: string;
}

/** Whoever grades could not say: the answer is neither right nor wrong, and nothing broke. */
export interface Abstained {
  readonly kind: 'abstained';
  readonly reason: string;
}

/**
 * The outcome of a rollout with its reward; one that is no finite number becomes `failed`. One that is not is a fault
 * of what graded, so it becomes `failed('verifier')`, because a NaN in a group spoils every advantage of that group.
 */
export function scored(
  reward: number,
  /** Signals by name; and `turns`, a list, with what each turn of the model earned by itself. */
  details?: Readonly<Record<string, number>> | (Readonly<Record<string, number | readonly number[]>> & TurnRewards),
  marks?: readonly string[],
): Scored | Failed {
  if (!Number.isFinite(reward)) return failed('verifier', `the reward is ${reward}; it must be a finite number`);
  const { turns, ...others } = details ?? {};
  const hasTurns = typeof turns === 'object';
  const signals = (hasTurns ? others : (details ?? {})) as Readonly<Record<string, number>>;
  const broken = Object.entries(signals).find(([, value]) => !Number.isFinite(value));
  if (broken !== undefined) return failed('verifier', `the signal ${broken[0]} is ${broken[1]}; it must be finite`);
  const turn = hasTurns ? turns.findIndex((value) => !Number.isFinite(value)) : -1;
  if (hasTurns && turn !== -1)
    return failed('verifier', `the reward of turn ${turn + 1} is ${turns[turn]}; it must be finite`);
  return {
    kind: 'scored',
    reward,
    ...(details === undefined || (hasTurns && Object.keys(signals).length === 0) ? {} : { signals }),
    ...(hasTurns ? { turns } : {}),
    ...(marks === undefined || marks.length === 0 ? {} : { marks }),
  };
}

interface TurnRewards {
  readonly turns: readonly number[];
}

/** The same outcome with another reward, or with marks. */
export const rescored = (
  { signals, turns, marks: known = [] }: Scored,
  reward: number,
  marks: readonly string[] = [],
): Scored | Failed => scored(reward, turns === undefined ? signals : { ...signals, turns }, [...known, ...marks]);

/** For a rollout that something around the answer broke: it has a reason and no reward. */
export const failed = (failure: FailureKind, reason: string): Failed => ({ kind: 'failed', failure, reason });

/** For a grader that cannot say: the answer is neither right nor wrong, and nothing broke. */
export const abstained = (reason: string): Abstained => ({ kind: 'abstained', reason });

export const isOutcome = (value: unknown): value is Outcome =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  (value.kind === 'scored' || value.kind === 'failed' || value.kind === 'abstained');
