import type { BatchFacts } from '../datums/convert-batch.ts';
import type { DistillFacts } from '../distill/add-teacher-term.ts';
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
  /** Optimiser steps that were made of the batch. */
  updates?: number | undefined;
  /** Batches in a row that held nothing to learn from, up to this one. */
  emptyBatches?: number | undefined;
  /** The batch held nothing to learn from, and the next one gets its number. */
  isUncounted?: boolean | undefined;
  /** Absent when the batch held nothing to learn from. */
  loss: { sum: number; /** Its tokens were already averaged. */ isMean?: boolean | undefined } | undefined;
  /** What a loss that was computed here told, by name. */
  policy?: Readonly<Record<string, number>> | undefined;
  comparison: PolicyComparison | undefined;
  /** Distance from the weights the run began with; absent where nobody asked for it. */
  kl?: KlFacts | undefined;
  /** What teachers said; absent where there are none. */
  distill?: DistillFacts | undefined;
  /** What the engine said about the optimiser, such as the norm of the gradient. */
  optimizer: Readonly<Record<string, number>>;
  /** Policy versions between the weights that were trained and those that sampled; undefined when nobody said. */
  staleness: { mean: number; max: number } | undefined;
  alarms: readonly NumericsAlarm[];
  times: StepTimes;
  /** US dollars of the run so far; absent where no price is known. */
  cost?: number | undefined;
}
