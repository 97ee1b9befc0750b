import type { Datum } from '@lachesis/tinker';

/** A sequence as the engine takes it: each token is asked to foretell the next, and the mask says which of those count. */
export function toDatum({ tokens, mask }: { tokens: Int32Array; mask: ArrayLike<number> }): Datum {
  const weights = new Float32Array(Math.max(0, tokens.length - 1));
  for (let at = 0; at < weights.length; at += 1) weights[at] = mask[at + 1] ?? 0;
  return { tokens: tokens.slice(0, -1), inputs: { target_tokens: tokens.slice(1), weights } };
}

/** The weights of a datum that `toDatum` made. */
export function weightsOf({ inputs }: Datum): Float32Array {
  const { weights } = inputs;
  if (!(weights instanceof Float32Array)) throw new Error('this datum has no weights of 32-bit numbers');
  return weights;
}

/** The targets of a datum that `toDatum` made. */
function targetsOf({ inputs }: Datum): Int32Array {
  const { target_tokens: targets } = inputs;
  if (!(targets instanceof Int32Array)) throw new Error('this datum has no targets of 32-bit numbers');
  return targets;
}

/** How much of a datum is learnt. */
export const countLearnt = (datum: Datum): number => weightsOf(datum).reduce((sum, weight) => sum + weight, 0);

/** The whole sequence again. */
export const wholeOf = (datum: Datum): Int32Array => Int32Array.from([datum.tokens[0]!, ...targetsOf(datum)]);
