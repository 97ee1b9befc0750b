import { expect, test } from 'vitest';
import { toy } from '../testing/toy-environment.fixture.ts';
import { requireServers, resolveEnvironmentConfig } from './resolve-environment-config.ts';

test('a file written for tinker-atropos is read as it is', () => {
  const yaml = {
    env: {
      ...{ group_size: 8, batch_size: 128, max_batches_offpolicy: 3, tokenizer_name: 'Qwen/Qwen3-8B', use_wandb: true },
      ...{ rollout_server_url: 'http://localhost:8000', wandb_name: 'gsm8k', ensure_scores_are_not_same: false },
      ...{ max_token_length: 256, max_num_workers: 24, worker_timeout: 3600, total_steps: 50, steps_per_eval: 100 },
      ...{ inference_weight: 1, data_path_to_save_groups: null, eval_limit_ratio: 0.1 },
    },
    openai: [
      {
        ...{ model_name: 'Qwen/Qwen3-8B', base_url: 'http://localhost:8001/v1', api_key: 'x', weight: 1 },
        ...{ num_requests_for_eval: 256, server_type: 'sglang' },
      },
    ],
    tinker: { lora_rank: 32, learning_rate: 0.00004, anything: true },
    slurm: false,
    testing: false,
  };
  const { values } = resolveEnvironmentConfig({ definition: toy, yaml, env: {} });
  expect(values.env).toMatchObject({ group_size: 8, max_token_length: 256, largest: 1000, wandb_name: 'gsm8k' });
  expect(requireServers(values)).toMatchObject([{ base_url: 'http://localhost:8001/v1', server_type: 'sglang' }]);
});

test('the environment’s defaults stand behind variables, and those of OpenAI are known', () => {
  const env = { OPENAI_BASE_URL: 'http://other/v1', OPENAI_API_KEY: 'k', LACHESIS_ENV_SEED: '7' };
  const { values, secrets } = resolveEnvironmentConfig({
    definition: { ...toy, defaults: { seed: 3, group_size: 4 } },
    env,
  });
  expect(values.env).toMatchObject({ seed: 7, group_size: 4 });
  expect(values.openai).toMatchObject([{ base_url: 'http://other/v1', api_key: 'k' }]);
  expect(secrets).toContain('openai.0.api_key');
});

test('external APIs are not asked for their health, unless told to', () => {
  const server = (flags: object) =>
    resolveEnvironmentConfig({
      definition: toy,
      flags: { openai: { base_url: 'https://openrouter.ai/api/v1', ...flags } },
    }).values.openai[0]!;
  expect(server({}).health_check).toBe(false);
  expect(server({ health_check: 'true' }).health_check).toBe(true);
});

test('each kind of server has its place and its key by the usual names', () => {
  const serverOf = (openai: object, env: Record<string, string> = {}) =>
    resolveEnvironmentConfig({ definition: toy, flags: { openai }, env }).values.openai[0];
  const keys = { OPENAI_API_KEY: 'general', OPENROUTER_API_KEY: 'router', GROQ_API_KEY: 'groq' };
  expect(serverOf({ server_type: 'ollama' })).toMatchObject({ base_url: 'http://localhost:11434/v1', api_key: '' });
  expect(serverOf({ server_type: 'openrouter' }, keys)).toMatchObject({
    base_url: 'https://openrouter.ai/api/v1',
    api_key: 'router',
  });
  expect(serverOf({ base_url: 'https://api.groq.com/openai/v1' }, keys)).toMatchObject({ api_key: 'groq' });
  expect(serverOf({ base_url: 'https://api.mistral.ai/v1' }, keys)).toMatchObject({ api_key: '' });
  expect(serverOf({ base_url: 'http://localhost:9001/v1' }, keys)).toMatchObject({ api_key: 'general' });
});

test('a field that nothing reads is refused by name, except in a file written for Atropos', () => {
  const set = (flags: object) => () => resolveEnvironmentConfig({ definition: toy, flags: flags as never });
  expect(set({ env: { eval_limit_ratio: '0.5' } })).toThrow(/env.eval_limit_ratio is set, and nothing here reads it/);
  expect(set({ openai: { rolling_buffer_length: '5' } })).toThrow(/openai.0.rolling_buffer_length is set/);
  const env = { LACHESIS_ENV_EVAL_HANDLING: 'NONE' };
  expect(() => resolveEnvironmentConfig({ definition: toy, env })).toThrow(/env.eval_handling is set/);
});
