import type { TrainingSequence } from '../datums/convert-group.ts';

/** What teachers said about a batch. */
export interface DistillFacts {
  /** Nats a token that the student is away from its teacher: the reverse KL divergence, estimated by what was sampled. */
  kl: number;
  /** Mean log probability of the sampled tokens under the teacher. */
  teacherLogprob: number;
  /** Share of the trained tokens about which a teacher said something. */
  taughtShare: number;
}

/** A token that one of the two finds e^10 times likelier says no more than that they are far apart. */
const MOST_LOG_RATIO = 10;

/**
 * Adds the word of a teacher to the advantages. With d = log π_student − log π_teacher of a sampled token, E[d] is the reverse KL
 * divergence, and its gradient is E[d · ∇log π_student]: an advantage of −c·d makes it smaller. The mean of d over the batch is a
 * baseline, which takes noise away and changes no expectation: without it a sure teacher makes whatever was sampled rarer, right or
 * wrong. Each token answers for itself alone (a discount of 0), so a reply need not end before it teaches.
 */
export function addTeacherTerm(options: {
  sequences: readonly TrainingSequence[];
  /** Log probabilities of the targets, one array per sequence; NaN where the teacher says nothing. */
  teacher: readonly (Float32Array | undefined)[];
  coefficient: number;
}): { sequences: TrainingSequence[]; facts: DistillFacts } {
  const { teacher, coefficient } = options;
  let tokens = 0;
  let taught = 0;
  let sum = 0;
  let logprobs = 0;
  const distances = options.sequences.map(({ datum: { inputs }, trainedTokens }, index) => {
    tokens += trainedTokens;
    return teacher[index]?.map((said, position) => {
      if (inputs.weights[position] === 0 || Number.isNaN(said)) return Number.NaN;
      const distance = Math.min(MOST_LOG_RATIO, Math.max(-MOST_LOG_RATIO, inputs.logprobs[position]! - said));
      taught += 1;
      sum += distance;
      logprobs += inputs.logprobs[position]! - distance;
      return distance;
    });
  });
  const per = (total: number, count: number): number => (count === 0 ? 0 : total / count);
  const baseline = per(sum, taught);
  const sequences = options.sequences.map((sequence, index) => {
    const { datum, ageWeight = 1 } = sequence;
    const row = distances[index];
    if (row === undefined) return sequence;
    const advantages = datum.inputs.advantages.map((advantage, position) => {
      const distance = row[position]!;
      if (Number.isNaN(distance)) return advantage;
      return advantage - coefficient * ageWeight * (distance - baseline);
    });
    return { ...sequence, datum: { ...datum, inputs: { ...datum.inputs, advantages } } };
  });
  return {
    sequences,
    facts: { kl: baseline, teacherLogprob: per(logprobs, taught), taughtShare: per(taught, tokens) },
  };
}
