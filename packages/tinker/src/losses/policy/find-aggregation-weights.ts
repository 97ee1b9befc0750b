import { LossInputError } from '../loss-input-error.ts';
import type { LossAggregation } from './policy-settings.ts';

/** What a token of each sequence counts in the loss of the batch. Sequences of which no token counts are not counted. */
export function findAggregationWeights(options: {
  rows: readonly { trained: ArrayLike<unknown> }[];
  aggregation: LossAggregation;
  /** Tokens that `constant_length` divides each sequence by. */
  length: number | undefined;
}): number[] {
  const { rows, aggregation, length } = options;
  const counts = rows.map(({ trained }) => trained.length);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  const sequences = counts.filter((count) => count > 0).length;
  if (aggregation === 'constant_length' && !(typeof length === 'number' && length > 0)) {
    throw new LossInputError({ loss: 'policy', reason: `constant_length needs a length above 0, not ${length}` });
  }
  return counts.map((count) => {
    if (count === 0) return 0;
    if (aggregation === 'token_sum') return 1;
    if (aggregation === 'token_mean') return 1 / tokens;
    return 1 / (sequences * (aggregation === 'sequence_mean' ? count : length!));
  });
}
