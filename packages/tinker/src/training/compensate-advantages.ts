import type { Datum } from '../codec/datum.ts';
import { floats } from './losses.ts';

/**
 * Scales advantages so that a server which divides by the weights of a sequence and by the number of sequences ends with
 * the plain sum. `sequences` counts everything that goes into one optimiser step, not this call alone.
 */
export function compensateAdvantages(datums: readonly Datum[], sequences: number): Datum[] {
  return datums.map((datum) => {
    const advantages = floats(datum, 'advantages');
    if (advantages === undefined) return datum;
    const factor = sequences * weightOf(datum, advantages.length);
    const scaled = new Float32Array(advantages.length);
    for (let index = 0; index < advantages.length; index += 1) scaled[index] = advantages[index]! * factor;
    return { ...datum, inputs: { ...datum.inputs, advantages: scaled } };
  });
}

/** What the server divides a sequence by: the sum of its weights, and every token weighs one when there are none. */
function weightOf(datum: Datum, length: number): number {
  const weights = floats(datum, 'weights');
  if (weights === undefined) return length;
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) sum += weights[index]!;
  return sum;
}
