import type { CustomLossInput, Logprobs } from '../custom-loss.ts';
import { LossInputError } from '../loss-input-error.ts';
import { readRow } from '../read-row.ts';

/** A sequence as a policy loss needs it. */
export interface PolicyRow {
  /** Positions that count. */
  readonly trained: readonly number[];
  /** Log probabilities of this moment. */
  readonly learner: Logprobs;
  readonly sampler: ArrayLike<number>;
  /** Those before the first step on this batch. */
  readonly proximal: ArrayLike<number>;
  readonly reference: ArrayLike<number> | undefined;
  readonly advantages: ArrayLike<number>;
}

export function readPolicyRows(options: {
  input: CustomLossInput;
  reference: readonly Logprobs[] | undefined;
  proximal: readonly Logprobs[] | undefined;
}): PolicyRow[] {
  const { input, reference, proximal } = options;
  return input.datums.map((datum, index) => {
    const learner = input.logprobs[index]!;
    const read = (name: string): ArrayLike<number> | undefined => {
      const row = readRow({ loss: 'policy', datum, index, name }) as ArrayLike<number> | undefined;
      if (row === undefined || row.length === learner.length) return row;
      const reason = `has ${row.length} ${name} for ${learner.length} tokens`;
      throw new LossInputError({ loss: 'policy', datum: index, reason });
    };
    const [sampler, advantages, weights] = [read('logprobs'), read('advantages'), read('weights')];
    if (sampler === undefined || advantages === undefined) {
      const reason = `has no ${sampler === undefined ? 'logprobs' : 'advantages'}`;
      throw new LossInputError({ loss: 'policy', datum: index, reason });
    }
    const trained: number[] = [];
    for (let token = 0; token < learner.length; token += 1) if ((weights?.[token] ?? 1) !== 0) trained.push(token);
    return {
      trained,
      learner,
      sampler,
      advantages,
      proximal: proximal?.[index] ?? learner,
      reference: reference?.[index],
    };
  });
}
