import { bootstrapGain, mean } from './bootstrap-gain.ts';
import type { Gain } from './bootstrap-gain.ts';
import type { FaultName } from './faults.ts';
import type { HeldOut } from './measure-held-out.ts';

export const WANTED = 0.8;
export const ABOVE_CHANCE = 0.15;
/** Sampler and trainer calculate in other orders; what is left is rounding. */
export const MOST_RATIO = 1.01;
/** A wrong sign takes at least this share of what the start earned. */
const LOST_SHARE = 0.5;
/** It unlearns about as quickly as the honest run learns, and is held back by the KL term on its way. */
export const longestUnlearning = (honestSteps: number): number => Math.ceil(honestSteps * 1.5);
/** Of the honest gain; chance moves a model a little either way. */
const SHUFFLED_SHARE = 0.5;

/** What a run left, whichever trainer it had. */
export interface RunFacts {
  readonly steps: number;
  readonly after: HeldOut;
  /** By how much the last batches of training earned more than the first. */
  readonly trained: number;
  /** The largest ratio of learner to sampler in the first step. */
  readonly firstRatio: number;
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
    honest: RunFacts;
    /** What the honest run had at the step that the mutant has to reach. */
    rival: Pick<RunFacts, 'steps' | 'trained'>;
    mutant: RunFacts;
    seed: number;
  },
): Judged {
  const { start, honest, rival, mutant, seed } = options;
  const gain = bootstrapGain({ before: start, after: mutant.after, seed });
  const end = meanOf(mutant.after);
  const steps = `${mutant.steps} ${mutant.steps === 1 ? 'step' : 'steps'}`;
  const figure = `${show(start)} to ${show(mutant.after)} held out in ${steps}, gain ${showGain(gain)}, first ratio ${mutant.firstRatio.toFixed(2)}`;
  switch (fault) {
    case 'prompt-blind':
      return {
        figure,
        bar: `caught by its first step: a ratio > ${MOST_RATIO}; and < ${WANTED} held out`,
        ok: mutant.firstRatio > MOST_RATIO && end < WANTED,
      };
    case 'shuffled-rewards':
      return {
        figure: `${figure}, in training ${mutant.trained.toFixed(2)}`,
        bar: `caught after the ${rival.steps} steps by which the honest run had gained ${rival.trained.toFixed(2)} in training: less than half of it, and < ${WANTED} held out`,
        ok: mutant.steps >= rival.steps && end < WANTED && mutant.trained < SHUFFLED_SHARE * rival.trained,
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
export const startsLow = (start: HeldOut, chance: number): boolean => meanOf(start) <= chance + ABOVE_CHANCE;
export const show = (heldOut: HeldOut): string => meanOf(heldOut).toFixed(2);
export const showGain = ({ mean: value, low, high }: Gain): string =>
  `${value.toFixed(2)} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`;
