import { readFile } from 'node:fs/promises';

import type { RunningProcess } from '../../kit/start-process.ts';
import { runPython } from './run-python.ts';

export interface StartEnvironmentOptions {
  readonly url: string;
  /** Receives one JSON line per fact; read it with `readEnvironmentFacts`. */
  readonly recordPath: string;
  readonly cwd: string;
  readonly groupSize: number;
  /** How long one computed rollout takes, which paces the run. */
  readonly pauseSeconds?: number;
  /** Base URL (with /v1) of a vLLM-like server to ask for completions instead of computing them. */
  readonly inferenceUrl?: string;
}

/** A real `BaseEnv` environment in `serve` mode. */
export async function startEnvironment(options: StartEnvironmentOptions): Promise<RunningProcess> {
  const flags: Record<string, string> = {
    'env.rollout_server_url': options.url,
    'env.record_path': options.recordPath,
    'env.group_size': String(options.groupSize),
    'env.pause_seconds': String(options.pauseSeconds ?? 0.02),
    // Far more than a show takes: the environment must not end by itself.
    'env.total_steps': '1000000',
    slurm: 'False',
  };
  if (options.inferenceUrl !== undefined) {
    flags['env.asks_inference'] = 'True';
    flags['openai.server_type'] = 'vllm';
    flags['openai.base_url'] = options.inferenceUrl;
  }
  return runPython({
    args: ['./counting_env.py', 'serve', ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])],
    name: 'counting environment',
    cwd: options.cwd,
  });
}

export interface EnvironmentFacts {
  /** How often it registered, with BaseEnv's own words. */
  readonly registrations: readonly string[];
  /** Numbers of the groups the server took. */
  readonly acknowledged: readonly number[];
  /** Numbers answered 4xx (BaseEnv drops them at once) or given up after three tries. */
  readonly dropped: readonly number[];
}

interface Fact {
  readonly event: 'registered' | 'acknowledged' | 'refused' | 'given-up';
  readonly number?: number | null;
  readonly text?: string;
}

export async function readEnvironmentFacts(recordPath: string): Promise<EnvironmentFacts> {
  const facts = await readJsonLines<Fact>(recordPath);
  const numbersOf = (...events: Fact['event'][]): number[] =>
    facts.filter((fact) => events.includes(fact.event)).map((fact) => fact.number ?? -1);
  return {
    registrations: facts.filter((fact) => fact.event === 'registered').map((fact) => fact.text ?? ''),
    acknowledged: numbersOf('acknowledged'),
    dropped: numbersOf('refused', 'given-up'),
  };
}

/** The complete lines of a file that another process is still writing; none while it does not exist. */
export async function readJsonLines<T>(path: string): Promise<T[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
