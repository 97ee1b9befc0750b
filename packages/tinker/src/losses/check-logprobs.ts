import type { Datum } from '../codec/datum.ts';
import type { Logprobs } from './custom-loss.ts';
import { LossInputError } from './loss-input-error.ts';
import { readTargets } from './read-row.ts';

export interface CheckLogprobsOptions {
  loss: string;
  /** What the arrays are, for the error: `logprobs`, `reference`. */
  what: string;
  arrays: readonly ArrayLike<number>[];
  datums: readonly Datum[];
}

/** Refuses arrays that are not one per datum and one number per token. */
export function checkLogprobs({ loss, what, arrays, datums }: CheckLogprobsOptions): void {
  if (arrays.length !== datums.length) {
    throw new LossInputError({ loss, reason: `${what} has ${arrays.length} arrays for ${datums.length} datums` });
  }
  for (const [index, datum] of datums.entries()) {
    const { length } = arrays[index]!;
    const tokens = readTargets({ loss, datum, index }).length;
    if (length !== tokens) {
      const reason = `${what} has ${length} numbers for ${tokens} tokens`;
      throw new LossInputError({ loss, datum: index, reason });
    }
  }
}

/** Zeros in the shape of the logprobs, to add gradients into. */
export const zerosLike = (logprobs: readonly Logprobs[]): Float64Array[] =>
  logprobs.map(({ length }) => new Float64Array(length));

/** Refuses a setting that is not a finite number above `above`. */
export function checkSetting({
  loss,
  name,
  value,
  above = Number.NEGATIVE_INFINITY,
}: {
  loss: string;
  name: string;
  value: number;
  above?: number;
}): void {
  if (!Number.isFinite(value) || value <= above) {
    const bound = above === Number.NEGATIVE_INFINITY ? '' : ` above ${above}`;
    throw new LossInputError({ loss, reason: `${name} is ${value}; it must be a finite number${bound}` });
  }
}
