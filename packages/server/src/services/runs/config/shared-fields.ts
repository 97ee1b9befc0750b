import type { FieldBounds } from '@lachesis/protocol';

/** A field that may be edited whatever the environment is. */
export interface SharedField {
  name: string;
  type: 'boolean' | 'integer' | 'number' | 'string';
  description: string;
  bounds?: FieldBounds;
  /** Where its value goes: to the environment, to the trainer, to both, or to the limits that end a run. */
  place: 'both' | 'env' | 'limit' | 'tinker';
  /** What counts when neither the recipe nor the environment says it. */
  fallback?: number;
  /** Environments of Python do not know it. */
  isOursAlone?: true;
}

/** So many sequences of one task, or of one step, are more than any engine takes. */
const MOST = 1_000_000;
const count = (minimum: number): FieldBounds => ({ minimum, maximum: MOST });

export const SHARED_FIELDS: readonly SharedField[] = Object.freeze([
  { name: 'group_size', type: 'integer', place: 'env', description: 'rollouts of one task', bounds: count(1) },
  { name: 'batch_size', type: 'integer', place: 'env', description: 'sequences of one step', bounds: count(1) },
  {
    ...{ name: 'max_completion_tokens', type: 'integer', place: 'env', isOursAlone: true, bounds: count(1) },
    description: 'longest single reply; what max_token_length leaves when it is null',
  },
  {
    ...{ name: 'temperature', type: 'number', place: 'env', isOursAlone: true, fallback: 1 },
    description: 'of training rollouts; other than 1 the log probabilities are not those that were sampled from',
    bounds: { minimum: 0, maximum: 2 },
  },
  {
    ...{ name: 'steps_per_eval', type: 'integer', place: 'env', bounds: count(0) },
    description: 'steps between two evaluations; 0 never',
  },
  {
    ...{ name: 'seed', type: 'integer', place: 'both', fallback: 0, bounds: { minimum: 0, maximum: 2 ** 31 - 1 } },
    description: 'of the order of tasks and of the LoRA matrices',
  },
  { name: 'system_prompt', type: 'string', place: 'env', description: 'system prompt of every rollout' },
  { name: 'use_wandb', type: 'boolean', place: 'env', description: 'write metrics to Weights & Biases too' },
  { name: 'wandb_name', type: 'string', place: 'env', description: 'name of the run in metrics' },
  {
    ...{ name: 'wandb_project', type: 'string', place: 'tinker' },
    description: 'project in Weights & Biases, when that is used',
  },
  {
    ...{ name: 'wandb_entity', type: 'string', place: 'tinker' },
    description: 'team or user in Weights & Biases, when that is used; the default one of the key when null',
  },
  {
    name: 'max_steps',
    type: 'integer',
    place: 'limit',
    description: 'ends the run after so many steps',
    bounds: count(1),
  },
  {
    ...{ name: 'max_tokens', type: 'integer', place: 'limit', bounds: { minimum: 1 } },
    description: 'ends the run when it has read, sampled and trained on so many tokens',
  },
  {
    ...{ name: 'budget', type: 'number', place: 'limit', bounds: { exclusive_minimum: 0 } },
    description: 'ends the run when it has cost so many US dollars',
  },
]);

/** Fields of the section env that are written for every environment, so that what is shown is what runs. */
export const WRITTEN_FIELDS: readonly string[] = Object.freeze([
  ...['group_size', 'batch_size', 'system_prompt', 'steps_per_eval', 'use_wandb'],
]);

/** Fields that all TypeScript environments have, and whose own default people are shown. */
export const DEFAULTED_FIELDS: ReadonlySet<string> = new Set(
  SHARED_FIELDS.filter(({ place }) => place === 'env' || place === 'both').map(({ name }) => name),
);
