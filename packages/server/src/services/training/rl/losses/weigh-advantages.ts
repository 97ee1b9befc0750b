import { findAggregationWeights } from '@lachesis/tinker';
import type { Algorithm } from './algorithm.ts';
import type { TrainingSequence } from '../datums/convert-group.ts';

/** The datums for a loss that adds tokens up, so that its sum is what the aggregation asks for. */
export function weighAdvantages(options: {
  sequences: readonly TrainingSequence[];
  aggregation: Algorithm['aggregation'];
  length: number;
}): TrainingSequence['datum'][] {
  const { sequences, aggregation, length } = options;
  if (aggregation === 'token_sum') return sequences.map(({ datum }) => datum);
  const rows = sequences.map(({ trainedTokens }) => ({ trained: { length: trainedTokens } }));
  const weights = findAggregationWeights({ rows, aggregation, length });
  return sequences.map(({ datum }, index) => ({
    ...datum,
    inputs: { ...datum.inputs, advantages: datum.inputs.advantages.map((advantage) => advantage * weights[index]!) },
  }));
}
