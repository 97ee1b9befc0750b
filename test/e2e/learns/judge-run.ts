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
/** Of the honest gain; chance moves a model a little either way. */
const SHUFFLED_SHARE = 0.5;

/** What a run left, whichever trainer it had. */
export interface RunFacts {
  readonly steps: number;
  readonly after: HeldOut;
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
  options: { start: HeldOut; honest: RunFacts; mutant: RunFacts; seed: number },
): Judged {
  const { start, honest, mutant, seed } = options;
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
        figure,
        bar: `caught after as many steps as the honest run (${honest.steps}): < ${WANTED} and less than half its gain`,
        ok:
          mutant.steps >= honest.steps &&
          end < WANTED &&
          gain.mean < SHUFFLED_SHARE * (meanOf(honest.after) - meanOf(start)),
      };
    case 'wrong-sign':
      return {
        figure,
        bar: `caught within ${honest.steps} steps: it goes the other way, to at most ${1 - LOST_SHARE} of the start`,
        ok: mutant.steps > 0 && mutant.steps <= honest.steps && end <= (1 - LOST_SHARE) * meanOf(start),
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
