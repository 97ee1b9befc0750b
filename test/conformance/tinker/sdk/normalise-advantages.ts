import type { Datum } from '@lachesis/tinker';

import { readFloats } from '../data/make-datums.ts';

/** A fault: advantages divided by the length of their sequence, which the server does once more. */
export function normaliseAdvantages(datums: readonly Datum[]): Datum[] {
  return datums.map((datum) => {
    const tokens = readFloats(datum, 'weights').reduce((sum, weight) => sum + weight, 0);
    const advantages = readFloats(datum, 'advantages').map((value) => value / tokens);
    return { ...datum, inputs: { ...datum.inputs, advantages } };
  });
}
