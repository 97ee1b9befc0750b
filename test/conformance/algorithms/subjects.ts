import type { PolicySubject } from './make-policy-cases.ts';

const preset = (name: string, tinker: Readonly<Record<string, unknown>> = { algorithm: name }): PolicySubject => ({
  name,
  tinker,
  reference: { algorithm: name },
});

const part = (
  name: string,
  tinker: Readonly<Record<string, unknown>>,
  reference: Readonly<Record<string, unknown>>,
): PolicySubject => ({ name, tinker, reference: { algorithm: 'part', loss: 'importance_sampling', ...reference } });

const bounded = (loss: string, low: number, high: number): PolicySubject =>
  part(
    loss === 'gspo' ? 'sequence ratio' : `loss ${loss}`,
    { loss, clip_low_threshold: low, clip_high_threshold: high },
    { loss, low, high },
  );

const aggregated = (aggregation: string): PolicySubject =>
  part(aggregation, { loss: 'ppo', loss_aggregation: aggregation }, { loss: 'ppo', low: 0.8, high: 1.2, aggregation });

const held = (estimator: string): PolicySubject =>
  part(
    `kl ${estimator}`,
    { kl_coefficient: 0.1, kl_estimator: estimator, kl_in: 'loss' },
    { kl: estimator, kl_coefficient: 0.1 },
  );

/** Every preset, and every part that a recipe can ask for by itself. */
export const subjects: readonly PolicySubject[] = [
  preset('grpo'),
  preset('dr_grpo'),
  preset('gspo'),
  preset('cispo'),
  preset('rloo'),
  preset('dapo'),
  preset('reinforce_pp'),
  preset('ppo'),
  preset('tis'),
  preset('tis_sequence', { algorithm: 'tis', sampler_correction: 'tis_sequence' }),
  preset('mis'),
  preset('mis_sequence', { algorithm: 'mis', sampler_correction: 'mis_sequence' }),
  preset('decoupled_ppo'),
  part('loss importance_sampling', {}, {}),
  bounded('ppo', 0.7, 1.4),
  bounded('cispo', 0.5, 1.5),
  bounded('gspo', 0.9, 1.1),
  ...['token_sum', 'token_mean', 'sequence_mean', 'constant_length'].map(aggregated),
  ...['k1', 'k2', 'k3'].map(held),
  part('entropy', { entropy_coefficient: 0.2 }, { entropy: 0.2 }),
  part('advantage batch_std', { advantage: 'batch_std' }, { advantage: 'batch_std' }),
  part('advantage batch_normalised', { advantage: 'batch_normalised' }, { advantage: 'batch_normalised' }),
];
