import type { BatchFacts } from '../datums/convert-batch.ts';
import type { KlFacts } from '../rlhf/penalise-kl.ts';
import type { NumericsAlarm } from '../numerics/find-alarms.ts';
import type { PolicyComparison } from '../numerics/compare-logprobs.ts';

/** Where the time of a step went, in seconds. */
export interface StepTimes {
  /** From the end of the step before to the end of this one. */
  total: number;
  /** Until its batch was there. */
  waited: number;
  converted: number;
  /** From the first request to the engine to its last result, saving the weights included. */
  engine: number;
  published: number;
}

/** Everything a step tells. */
export interface StepReport {
  step: number;
  totalSteps: number;
  policyVersion: number;
  learningRate: number;
  facts: BatchFacts;
  /** Absent when the batch held nothing to learn from. */
  loss: { sum: number } | undefined;
  comparison: PolicyComparison | undefined;
  /** Distance from the weights the run began with; absent where nobody asked for it. */
  kl?: KlFacts | undefined;
  /** What the engine said about the optimiser, such as the norm of the gradient. */
  optimizer: Readonly<Record<string, number>>;
  /** Policy versions between the weights that were trained and those that sampled; undefined when nobody said. */
  staleness: { mean: number; max: number } | undefined;
  alarms: readonly NumericsAlarm[];
  times: StepTimes;
}
