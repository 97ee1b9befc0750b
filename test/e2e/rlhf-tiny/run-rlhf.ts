import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { TrainerStatus } from '@lachesis/server';

import { runCommand } from '../sft-from-trajectories/run-command.ts';

const recipe = fileURLToPath(new URL('../../../packages/cli/recipes/cpu_tiny.yaml', import.meta.url));

export interface RunRlhfOptions {
  readonly home: string;
  readonly engineUrl: string;
  readonly run: string;
  /** `--reward-model name@version`, or `--reward file`. */
  readonly grader: readonly string[];
  readonly steps: number;
  readonly seed: number;
  /** `--tinker.*`. */
  readonly flags: readonly string[];
}

export interface RlhfRun {
  readonly status: TrainerStatus;
  /** `name@version` of the registry. */
  readonly model: string | null;
  /** The metrics of each step. */
  readonly steps: readonly Readonly<Record<string, number>>[];
  readonly seconds: number;
}

/** `lachesis train rlhf` as a person types it, from the talker that was warmed up. */
export async function runRlhf(options: RunRlhfOptions): Promise<RlhfRun> {
  const { home, engineUrl, run, steps, seed } = options;
  const startedAt = performance.now();
  const end = await runCommand({
    args: [
      ...['train', 'rlhf', '--dataset', 'taste@1', '--parent', 'talker', '--run', run, '--model-name', run],
      ...options.grader,
      ...['--config', recipe, '--home', home, '--any-port', '--json'],
      ...['--env.total_steps', String(steps), '--env.max_completion_tokens', '8', '--env.seed', String(seed)],
      ...['--tinker.seed', String(seed), ...options.flags],
    ],
    engineUrl,
  });
  const last = end.lines.at(-1) ?? '';
  if (end.code !== 0 || !last.startsWith('{')) {
    const log = await readFile(join(home, 'logs', 'rl_training', `env_${run}.log`), 'utf8').catch(() => '');
    throw new Error(
      `the run ${run} ended with ${end.signal ?? end.code}:\n${end.logs.slice(-4_000)}\n${log.slice(-2_000)}`,
    );
  }
  const { status, model } = JSON.parse(last) as { status: TrainerStatus; model: string | null };
  const metrics = await readFile(join(home, 'runs', run, 'metrics.jsonl'), 'utf8').catch(() => '');
  return {
    status,
    model,
    steps: metrics
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, number>)
      // Lines of environments are no steps.
      .filter((row) => row['time/step'] !== undefined),
    seconds: (performance.now() - startedAt) / 1000,
  };
}
