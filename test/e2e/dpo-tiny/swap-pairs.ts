import type { RecordExample, RecordMethod } from '../../../packages/server/src/services/training/records/method.ts';

/** The seeded fault: a method that learns from pairs the wrong way round. It measures them as they are. */
export function swapPairs(real: RecordMethod): RecordMethod {
  return { ...real, pass: (model, batch) => real.pass(model, batch.map(swap)) };
}

const swap = (example: RecordExample): RecordExample => ({
  ...example,
  datums: example.datums.toReversed(),
  reference: example.reference?.toReversed(),
});
