import { bootstrapGain, mean } from './bootstrap-gain.ts';
import type { Gain } from './bootstrap-gain.ts';
import type { FaultName } from './faults.ts';
import type { HeldOut } from './measure-held-out.ts';

export const WANTED = 0.8;
export const ABOVE_CHANCE = 0.15;
/** Sampler and trainer calculate in other orders; what is left is rounding. */
export const MOST_RATIO = 1.01;
/** Nats a token, either way: who finds every reply less likely than its sampler did has no ratio above 1. */
export const MOST_DRIFT = 0.01;
/** A wrong sign takes at least this share of what the start earned. */
const LOST_SHARE = 0.5;
/** It unlearns about as quickly as the honest run learns, and is held back by the KL term on its way. */
export const longestUnlearning = (honestSteps: number): number => Math.ceil(honestSteps * 1.5);
/** Of what the honest run had gained in training by then; chance moves a model a little either way. */
const SHUFFLED_SHARE = 0.5;

/** What a run left, whichever trainer it had. */
export interface RunFacts {
  readonly steps: number;
  readonly after: HeldOut;
  /** By how much the last batches of training earned more than the first. */
  readonly trained: number;
  /** The largest ratio of learner to sampler in the first step. */
  readonly firstRatio: number;
  /** How far learner and sampler were apart there, as a mean of |log ratio|. */
  readonly firstDrift: number;
}

export interface Judged {
  readonly figure: string;
  readonly bar: string;
  readonly ok: boolean;
}

/** What each fault has to show beyond not learning: who stands still shows nothing. */
export function judgeMutant(
  fault: FaultName,
  options: {
    start: HeldOut;
    /** What an answer that looks at nothing earns. */
    chance: number;
    honest: RunFacts;
    /** What the honest run had at the step that the mutant has to reach. */
    rival: Pick<RunFacts, 'steps' | 'trained'>;
    mutant: RunFacts;
    seed: number;
  },
): Judged {
  const { start, chance, honest, rival, mutant, seed } = options;
  const gain = bootstrapGain({ before: start, after: mutant.after, seed });
  const end = meanOf(mutant.after);
  const steps = `${mutant.steps} ${mutant.steps === 1 ? 'step' : 'steps'}`;
  const figure = `${show(start)} to ${show(mutant.after)} held out in ${steps}, gain ${showGain(gain)}, first ratio ${mutant.firstRatio.toFixed(2)}, drift ${mutant.firstDrift.toFixed(2)}`;
  switch (fault) {
    case 'prompt-blind':
      return {
        figure,
        bar: `caught by its first step: a ratio > ${MOST_RATIO} or a drift > ${MOST_DRIFT}; and ≤ chance + ${ABOVE_CHANCE} held out`,
        ok: isOffPolicy(mutant) && isAtChance(end, chance),
      };
    case 'shuffled-rewards':
      return {
        figure: `${figure}, in training ${mutant.trained.toFixed(2)}`,
        bar: `caught after the ${rival.steps} steps by which the honest run had gained ${rival.trained.toFixed(2)} in training: less than half of it, and ≤ chance + ${ABOVE_CHANCE} held out`,
        ok: mutant.steps >= rival.steps && isAtChance(end, chance) && mutant.trained < SHUFFLED_SHARE * rival.trained,
      };
    case 'wrong-sign':
      return {
        figure,
        bar: `caught within ${longestUnlearning(honest.steps)} steps: it goes the other way, to at most ${1 - LOST_SHARE} of the start`,
        ok:
          mutant.steps > 0 &&
          mutant.steps <= longestUnlearning(honest.steps) &&
          end <= (1 - LOST_SHARE) * meanOf(start),
      };
    default:
      throw new Error(`there is no fault ${String(fault satisfies never)}`);
  }
}

export const meanOf = (heldOut: HeldOut): number => mean(heldOut.map(mean));
export const startsLow = (start: HeldOut, chance: number): boolean => isAtChance(meanOf(start), chance);
const isAtChance = (reward: number, chance: number): boolean => reward <= chance + ABOVE_CHANCE;

/** The learner found replies in its first step as likely as their sampler did. A figure that is missing is neither this nor off it. */
export const isOnPolicy = ({ firstRatio, firstDrift }: RunFacts): boolean =>
  firstRatio <= MOST_RATIO && firstDrift <= MOST_DRIFT;
const isOffPolicy = ({ firstRatio, firstDrift }: RunFacts): boolean =>
  firstRatio > MOST_RATIO || firstDrift > MOST_DRIFT;
export const show = (heldOut: HeldOut): string => meanOf(heldOut).toFixed(2);
export const showGain = ({ mean: value, low, high }: Gain): string =>
  `${value.toFixed(2)} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`;
