import { editDistance } from '@lachesis/protocol/names';
import { z } from 'zod';
import { TrainerError } from '../trainer-error.ts';
import type { RecordMethodName } from './method.ts';

/** How a data set is trained on. Every method reads the same file; what a method does not know it does not use. */
const recordTrainingSettingsSchema = z.strictObject({
  /** The base model, `engine` for the first one the engine offers. Ignored where `parent` is given. */
  base_model: z.string().min(1).default('engine'),
  /** What to go on from: `name`, `name@3` or an id of the registry, `run:step`, or the `tinker://` path of a state. */
  parent: z.string().min(1).nullable().default(null),
  /** The same under the name that recipes have for it; `parent` goes before it. */
  initial_state: z.string().min(1).nullable().default(null),
  /** The name under which the result is registered; the name of the run when absent. */
  model_name: z.string().min(1).nullable().default(null),
  /** Where the tokenizer is: a folder or a name; the base model when absent. */
  tokenizer: z.string().min(1).nullable().default(null),
  lora_rank: z.int().min(1).max(512).default(16),
  seed: z.int().min(0).default(1),
  /** Examples of a step. */
  batch_size: z.int().min(1).default(16),
  epochs: z.number().positive().default(1),
  /** Stops earlier than the epochs do. */
  max_steps: z.int().min(1).nullable().default(null),
  /** Longer sequences are skipped. */
  max_tokens: z.int().min(2).default(4096),
  /** Which replies of a conversation are learnt. */
  train_on: z.enum(['all-assistant', 'last-assistant']).default('all-assistant'),
  /** Takes the tokens that were recorded instead of rendering the messages again. */
  use_recorded_tokens: z.boolean().default(false),
  /** Trains on rows with tools although the model's chat template leaves the tools or the calls out. */
  allow_dropped_tools: z.boolean().default(false),
  /** Several conversations in one sequence, up to max_tokens. */
  packing: z.boolean().default(false),
  learning_rate: z.number().positive(),
  lr_schedule: z.enum(['constant', 'linear', 'cosine']).default('linear'),
  warmup_steps: z.int().min(0).default(0),
  /** Above 0, so that the last step still learns. */
  final_learning_rate_fraction: z.number().min(0).max(1).default(0.1),
  beta1: z.number().min(0).max(1).default(0.9),
  beta2: z.number().min(0).max(1).default(0.95),
  eps: z.number().positive().default(1e-8),
  weight_decay: z.number().min(0).default(0),
  grad_clip_norm: z.number().min(0).default(1),
  /** Of dpo, kto and their like: how far the policy may move away from the reference. */
  beta: z.number().positive().default(0.1),
  label_smoothing: z.number().min(0).max(0.499).default(0),
  /** Of dpo: holds the chosen reply up beside the preference; 0 is plain DPO. */
  chosen_nll_weight: z.number().min(0).default(0),
  /** Of kto: balances unequal numbers of good and bad replies. */
  desirable_weight: z.number().positive().default(1),
  undesirable_weight: z.number().positive().default(1),
  /** The splits of the data set to train on and to measure with. */
  train_split: z.string().default('train'),
  eval_split: z.string().default('eval'),
  /** Another data set to measure with, whole: `name@version`. It may be a held-out one, which is never trained on. */
  eval_dataset: z.string().min(1).nullable().default(null),
  /** Steps between evaluations; 0 for one before and one after. */
  eval_every: z.int().min(0).default(0),
  /** Steps between saved states. */
  save_every: z.int().min(1).default(25),
  keep_checkpoints: z.int().min(1).default(2),
  use_tensorboard: z.boolean().default(true),
  use_wandb: z.boolean().default(false),
  wandb_project: z.string().nullable().default(null),
});

export type RecordTrainingSettings = z.infer<typeof recordTrainingSettingsSchema>;

/** What each method begins with where nothing is said. */
const METHOD_DEFAULTS = Object.freeze({
  sft: { learning_rate: 1e-4 },
  dpo: { learning_rate: 1e-5 },
  kto: { learning_rate: 1e-5 },
  reward: { learning_rate: 1e-4 },
});

/** The settings of a run: what was given, then the defaults of the method. Refuses with the name of what does not fit. */
export function readRecordSettings(
  method: RecordMethodName,
  given: Readonly<Record<string, unknown>>,
): RecordTrainingSettings {
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const parsed = recordTrainingSettingsSchema.safeParse({ ...METHOD_DEFAULTS[method], ...known });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const names = issue?.code === 'unrecognized_keys' ? issue.keys.join(', ') : (issue?.path.map(String).join('.') ?? '');
  const what =
    issue?.code === 'unrecognized_keys'
      ? `there is no such setting. Did you mean ${findNearest(issue.keys[0] ?? '')}?`
      : `${issue?.message ?? 'it does not fit'}.`;
  throw new TrainerError({ kind: 'settings', message: `The setting ${names} cannot be used: ${what}` });
}

function findNearest(typed: string): string {
  const known = Object.keys(recordTrainingSettingsSchema.shape);
  const ranked = known.map((name) => ({ name, distance: editDistance(typed, name) }));
  return ranked.toSorted((left, right) => left.distance - right.distance)[0]?.name ?? '';
}
