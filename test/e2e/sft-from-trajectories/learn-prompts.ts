import type { RecordMethod } from '../../../packages/server/src/services/training/records/method.ts';

/** The seeded fault: a method whose mask is 1 everywhere. */
export function learnPrompts(real: RecordMethod): RecordMethod {
  return {
    ...real,
    async toExample(record, context) {
      const example = await real.toExample(record, context);
      if ('skipped' in example) return example;
      return {
        ...example,
        datums: example.datums.map((datum) => ({
          ...datum,
          inputs: { ...datum.inputs, weights: new Float32Array(datum.tokens.length).fill(1) },
        })),
      };
    },
  };
}
