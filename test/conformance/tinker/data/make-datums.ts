import type { Datum } from '@lachesis/tinker';

import { createRandom } from '../../render/random.ts';

/** Batches have one size, because the engine compiles each one anew. */
export const BATCH = 16;
/** Below this lengths share a compiled program. */
const LONGEST = 31;
const SHORTEST = 12;
const PROMPT = 5;
/** Below the vocabulary of the tiny model. */
const TOKENS = 2000;

/** Sequences of different lengths, their first tokens masked as a prompt's are. */
export function makeDatums({ count, seed }: { count: number; seed: number }): Datum[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const length = SHORTEST + Math.floor(random.next() * (LONGEST - SHORTEST + 1));
    const sequence = Int32Array.from({ length: length + 1 }, () => Math.floor(random.next() * TOKENS));
    return {
      tokens: sequence.slice(0, -1),
      inputs: {
        target_tokens: sequence.slice(1),
        weights: Float32Array.from({ length }, (_, index) => (index < PROMPT ? 0 : 1)),
      },
    };
  });
}

/** The same sequences as rollouts: advantages, and log probabilities of a sampler that is some way off. */
export function toRollouts(datums: readonly Datum[], logprobs: readonly Float32Array[], seed: number): Datum[] {
  const random = createRandom(seed);
  return datums.map((datum, index) => ({
    ...datum,
    inputs: {
      ...datum.inputs,
      logprobs: logprobs[index]!.map((value) => value + 1.2 * (random.next() - 0.5)),
      advantages: Float32Array.from(datum.tokens, () => 2 * random.next() - 1),
    },
  }));
}

/** A float input that `makeDatums` or `toRollouts` made. */
export function readFloats(datum: Datum, name: string): Float32Array {
  const values = datum.inputs[name];
  if (!(values instanceof Float32Array)) throw new Error(`the datum has no float input ${name}`);
  return values;
}
