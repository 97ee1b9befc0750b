import type { RunningProcess } from '../../kit/start-process.ts';
import { useRealTransformers } from './real-transformers.ts';
import { runPython } from './run-python.ts';

export interface DigitsEnvironmentOptions {
  /** The trajectory API. */
  readonly url: string;
  /** Base URL, without /v1, of a server with SGLang's `/generate`. */
  readonly inferenceUrl: string;
  /** A folder with the tokenizer of the model. */
  readonly tokenizer: string;
  readonly batchSize: number;
  readonly steps: number;
  readonly cwd: string;
}

/** The toy `digits` as a real `BaseEnv` environment, with the real tokenizer of the model. */
export async function startDigitsEnvironment(options: DigitsEnvironmentOptions): Promise<RunningProcess> {
  const flags: Record<string, string> = {
    'env.rollout_server_url': options.url,
    'env.tokenizer_name': options.tokenizer,
    'env.batch_size': String(options.batchSize),
    'env.total_steps': String(options.steps),
    'env.max_num_workers': '4',
    'env.max_batches_offpolicy': '1',
    'env.max_token_length': '64',
    'env.use_wandb': 'False',
    // The server class of atroposlib loads a tokenizer by the name of the model.
    'openai.model_name': options.tokenizer,
    'openai.base_url': `${options.inferenceUrl}/v1`,
    'openai.server_type': 'sglang',
    slurm: 'False',
  };
  return runPython({
    args: ['./digits_env.py', 'serve', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])],
    name: 'digits environment',
    cwd: options.cwd,
    env: useRealTransformers(),
  });
}
