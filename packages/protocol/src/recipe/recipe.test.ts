import { expect, test } from 'vitest';

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
    loss: 'importance_sampling',
    advantage: 'mean_centred',
  });
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
