import type { PolicyFault } from './our-policy-answers.ts';

interface PolicyMutant {
  readonly fault: string;
  /** The subjects in which it must be noticed. */
  readonly subjects: readonly string[];
  readonly change: PolicyFault;
}

const setting = (more: Readonly<Record<string, unknown>>): PolicyFault => ({
  tinker: (tinker) => ({ ...tinker, ...more }),
});

/** Trainers with one fault each, as somebody could write them. */
export const policyMutants: readonly PolicyMutant[] = [
  {
    fault: 'the gradient points uphill',
    subjects: ['grpo', 'dr_grpo', 'gspo', 'cispo', 'rloo', 'dapo', 'entropy'],
    change: { result: (result) => ({ ...result, gradients: result.gradients.map((row) => row.map((one) => -one)) }) },
  },
  {
    fault: 'nothing is clipped',
    subjects: ['grpo', 'dr_grpo', 'gspo', 'dapo', 'loss ppo'],
    change: { options: (options) => ({ ...options, clip: 'none' }) },
  },
  { fault: 'the clip is optimistic', subjects: ['grpo', 'gspo'], change: { batch: flipAdvantages, result: flipLoss } },
  { fault: 'the upper bound is the lower one’s', subjects: ['dapo'], change: setting({ clip_high_threshold: 1.2 }) },
  { fault: 'no lower bound', subjects: ['loss ppo', 'loss cispo'], change: setting({ clip_low_threshold: 0 }) },
  {
    fault: 'the ratio of a token for that of the sequence',
    subjects: ['gspo', 'sequence ratio'],
    change: { options: (options) => ({ ...options, ratio: 'token' }) },
  },
  {
    fault: 'the weight takes a gradient',
    subjects: ['cispo', 'loss cispo'],
    change: { options: (options) => ({ ...options, clip: 'pessimistic' }) },
  },
  {
    fault: 'the mean over tokens for the mean over replies',
    subjects: ['grpo', 'gspo'],
    change: setting({ loss_aggregation: 'token_mean' }),
  },
  {
    fault: 'the mean over replies for the mean over tokens',
    subjects: ['dapo', 'cispo', 'token_mean'],
    change: setting({ loss_aggregation: 'sequence_mean' }),
  },
  {
    fault: 'the length of the reply for the constant one',
    subjects: ['dr_grpo', 'constant_length'],
    change: setting({ loss_aggregation: 'sequence_mean' }),
  },
  { fault: 'no KL term', subjects: ['grpo', 'kl k1', 'kl k2', 'kl k3'], change: setting({ kl_coefficient: 0 }) },
  {
    fault: 'another estimator of the KL divergence',
    subjects: ['grpo', 'kl k1', 'kl k3'],
    change: setting({ kl_estimator: 'k2' }),
  },
  { fault: 'the KL term is in the reward', subjects: ['grpo', 'kl k3'], change: setting({ kl_in: 'reward' }) },
  { fault: 'the KL cost is a term of the loss', subjects: ['rloo'], change: setting({ kl_in: 'loss' }) },
  {
    fault: 'nothing is truncated',
    subjects: ['tis', 'tis_sequence'],
    change: setting({ sampler_correction_cap: 1e9 }),
  },
  { fault: 'truncated where it is to be masked', subjects: ['mis'], change: setting({ sampler_correction: 'tis' }) },
  {
    fault: 'the sampler is not corrected',
    subjects: ['tis', 'mis', 'decoupled_ppo'],
    change: { options: (options) => ({ ...options, correction: undefined }) },
  },
  {
    fault: 'the ratio is to the sampler',
    subjects: ['decoupled_ppo'],
    change: setting({ sampler_correction: 'none' }),
  },
  { fault: 'entropy is punished', subjects: ['entropy'], change: setting({ entropy_coefficient: -0.2 }) },
  {
    fault: 'no deviation',
    subjects: ['grpo', 'gspo', 'cispo', 'dapo'],
    change: setting({ advantage: 'mean_centred' }),
  },
  {
    fault: 'the deviation of the group',
    subjects: ['dr_grpo', 'advantage batch_std'],
    change: setting({ advantage: 'std_normalised' }),
  },
  { fault: 'the baseline holds the own score', subjects: ['rloo'], change: setting({ advantage: 'mean_centred' }) },
  {
    fault: 'the mean of the group for that of the batch',
    subjects: ['advantage batch_normalised'],
    change: setting({ advantage: 'batch_std' }),
  },
  { fault: 'long replies are not punished', subjects: ['dapo'], change: setting({ overlong_buffer: 0 }) },
  {
    fault: 'replies that were cut off are learnt from',
    subjects: ['dapo'],
    change: setting({ overlong_filter: false }),
  },
];

type Changed<Name extends keyof PolicyFault> = NonNullable<PolicyFault[Name]>;

function flipAdvantages(batch: Parameters<Changed<'batch'>>[0]): ReturnType<Changed<'batch'>> {
  return {
    ...batch,
    sequences: batch.sequences.map((sequence) => {
      const { inputs } = sequence.datum;
      const advantages = inputs.advantages.map((advantage) => -advantage);
      return { ...sequence, datum: { ...sequence.datum, inputs: { ...inputs, advantages } } };
    }),
  };
}

function flipLoss(result: Parameters<Changed<'result'>>[0]): ReturnType<Changed<'result'>> {
  return { ...result, loss: -result.loss, gradients: result.gradients.map((row) => row.map((one) => -one)) };
}
