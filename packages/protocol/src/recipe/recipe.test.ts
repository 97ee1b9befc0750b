import { expect, test } from 'vitest';

import { readAlgorithm } from './read-algorithm.ts';
import { recipeSchema } from './recipe.ts';

test('an empty recipe is the default one', () => {
  const { environment, env, openai, tinker } = recipeSchema.parse({});
  expect(environment).toBe('gsm8k');
  expect(env).toMatchObject({
    group_size: 16,
    batch_size: 128,
    max_token_length: 8192,
    max_num_workers: 2048,
    max_batches_offpolicy: 3,
    total_steps: 2500,
    steps_per_eval: 25,
    tokenizer_name: 'Qwen/Qwen3-8B',
  });
  expect(openai).toEqual([{ base_url: 'http://localhost:8001/v1' }]);
  expect(tinker).toMatchObject({
    lora_rank: 32,
    learning_rate: 4e-5,
    max_token_trainer_length: 9000,
    save_checkpoint_interval: 25,
    beta1: 0.9,
    beta2: 0.95,
    eps: 1e-8,
  });
  expect(readAlgorithm(tinker)).toMatchObject({
    ...{ loss: 'importance_sampling', bounds: undefined, advantage: 'mean_centred', aggregation: 'token_sum' },
    ...{ correction: 'none', klCoefficient: 0, klEstimator: 'k1', klIn: 'reward', entropyCoefficient: 0 },
    ...{ overlongFilter: false, overlongBuffer: 0 },
  });
});

const algorithmOf = (tinker: object) => readAlgorithm(recipeSchema.parse({ tinker }).tinker);

test('a preset is what the recipe does not say, and its bounds are those of its loss', () => {
  expect(algorithmOf({ algorithm: 'dapo' })).toMatchObject({ loss: 'ppo', bounds: { low: 0.8, high: 1.28 } });
  expect(algorithmOf({ algorithm: 'dapo', clip_high_threshold: 1.5, kl_coefficient: 0.1 })).toMatchObject({
    ...{ bounds: { low: 0.8, high: 1.5 }, klCoefficient: 0.1, aggregation: 'token_mean' },
  });
  expect(algorithmOf({ algorithm: 'dapo', loss: 'cispo' }).bounds).toEqual({ low: 0, high: 4 });
  expect(algorithmOf({ algorithm: 'grpo', kl_coefficient: 0 }).klCoefficient).toBe(0);
});

test('a loss is one of the names, and another word is refused with them', () => {
  expect(() => algorithmOf({ loss: 'gpso' })).toThrow(/is none of importance_sampling, ppo, cispo, gspo/);
  expect(() => algorithmOf({ advantage: 'mean' })).toThrow(/mean_centred/);
});

test('a file is the whole loss: what a preset says of the loss is left out, and a part of it beside the file is refused', () => {
  expect(algorithmOf({ algorithm: 'grpo', loss: '/a/mine.ts' })).toMatchObject({
    ...{ loss: '/a/mine.ts', bounds: undefined, advantage: 'std_normalised', klCoefficient: 0, klIn: 'reward' },
  });
  expect(algorithmOf({ algorithm: 'rloo', loss: 'mine.mjs' }).klCoefficient).toBe(0.03);
  expect(algorithmOf({ algorithm: 'tis', loss: 'mine.ts', minibatches: 2 }).correction).toBe('none');
  expect(algorithmOf({ advantage: './mine.ts', loss_aggregation: 'token_mean' }).advantage).toBe('./mine.ts');
  for (const part of [{ clip_high_threshold: 1.2 }, { loss_aggregation: 'token_mean' }, { kl_in: 'loss' }]) {
    expect(() => algorithmOf({ loss: 'mine.ts', ...part })).toThrow(/mine\.ts is the whole loss/);
  }
  expect(() => algorithmOf({ loss: 'mine.py' })).toThrow(/no TypeScript file/);
});

test('a reference that moves and a budget that is measured from it do not go together', () => {
  expect(() => algorithmOf({ kl_reference_reset_steps: 5, kl_budget: 3 })).toThrow(/leave one of them out/);
  expect(() => algorithmOf({ kl_reference_reset_steps: 5, kl_coefficient: 0.1 })).not.toThrow();
});

test('a teacher needs a model, one of another protocol its address too, and its key is named by a variable', () => {
  const teacherOf = (teacher: object) => recipeSchema.parse({ tinker: { teacher } }).tinker.teacher;
  expect(teacherOf({ model: 'big@1' })).toEqual({
    ...{ kind: 'tinker', model: 'big@1', api_key_variable: 'LACHESIS_TEACHER_KEY' },
  });
  expect(() => teacherOf({})).toThrow(/model/);
  expect(() => teacherOf({ kind: 'openai', model: 'big' })).toThrow(/is wanted for a teacher/);
  expect(() => teacherOf({ model: 'big', api_key_variable: 'sk-123' })).toThrow(/no name of a variable/);
  expect(recipeSchema.parse({}).tinker).toMatchObject({ distill_coefficient: 1, distill_reward: false });
});

test('a correction about the policy before the step is refused where a batch has several updates', () => {
  expect(() => recipeSchema.parse({ tinker: { algorithm: 'tis', epochs_per_batch: 2 } })).toThrow(
    /one update of a batch/,
  );
  expect(() => recipeSchema.parse({ tinker: { sampler_correction: 'decoupled', minibatches: 2 } })).toThrow(
    /minibatches/,
  );
  expect(() =>
    recipeSchema.parse({ tinker: { algorithm: 'tis', sampler_correction: 'none', minibatches: 2 } }),
  ).not.toThrow();
});

test('a file written for tinker-atropos is read as it is', () => {
  const file = {
    env: {
      group_size: 16,
      batch_size: 128,
      max_batches_offpolicy: 3,
      tokenizer_name: 'Qwen/Qwen3-8B',
      use_wandb: true,
      rollout_server_url: 'http://localhost:8000',
      wandb_name: 'gsm8k',
      ensure_scores_are_not_same: false,
      max_token_length: 256,
      max_num_workers: 24,
      worker_timeout: 3600,
      total_steps: 50,
      steps_per_eval: 100,
      inference_weight: 1.0,
      data_path_to_save_groups: null,
      eval_limit_ratio: 0.1,
    },
    openai: [
      {
        model_name: 'Qwen/Qwen3-8B',
        base_url: 'http://localhost:8001/v1',
        api_key: 'x',
        weight: 1.0,
        num_requests_for_eval: 256,
        server_type: 'sglang',
      },
    ],
    tinker: {
      lora_rank: 32,
      learning_rate: 4e-5,
      max_token_trainer_length: 2048,
      checkpoint_dir: './temp/',
      save_checkpoint_interval: 0,
      wandb_project: 'tinker',
      wandb_group: null,
      wandb_run_name: 'run',
      tool_call_parser: 'hermes',
    },
    slurm: false,
    testing: false,
  };
  const recipe = recipeSchema.parse(file);
  expect(recipe.env).toMatchObject(file.env);
  expect(recipe.openai).toMatchObject(file.openai);
  expect(recipe.tinker).toMatchObject(file.tinker);
});

test('one server may stand without its list', () => {
  const { openai } = recipeSchema.parse({ openai: { base_url: 'http://a/v1', api_key: 'k' } });
  expect(openai).toEqual([{ base_url: 'http://a/v1', api_key: 'k' }]);
});

test('a key the trainer does not know is refused', () => {
  const result = recipeSchema.safeParse({ tinker: { learning_rat: 1 } });
  expect(result.error?.issues).toMatchObject([{ code: 'unrecognized_keys', path: ['tinker'], keys: ['learning_rat'] }]);
});

test('strictly on-policy, several environments and groups that make up no batch are refused', () => {
  const read = (recipe: object) => recipeSchema.safeParse(recipe).error?.issues.map(({ message }) => message);
  const env = { max_batches_offpolicy: 0, batch_size: 32, group_size: 8 };
  expect(read({ env })).toBeUndefined();
  expect(read({ env, environments: [{ name: 'a' }] })).toBeUndefined();
  expect(read({ env, environments: [{ name: 'a' }, { name: 'b' }] })?.[0]).toMatch(/takes one environment/);
  expect(read({ env: { ...env, group_size: 12 } })?.[0]).toMatch(
    /make batch_size \(32\) a multiple of group_size \(12\)/,
  );
});
