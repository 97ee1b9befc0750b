import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { startProcess } from '../../../kit/start-process.ts';
import type { RunningProcess } from '../../../kit/start-process.ts';
import { runPython } from '../../../peers/atropos/run-python.ts';
import { ANSWER, DATA, TASK } from '../task/commands.ts';

export interface ContenderOptions {
  /** Of the model, with /v1. */
  readonly url: string;
  readonly groups: number;
  /** All rollouts of a group are under way at once, and one group after another. */
  readonly groupSize: number;
  /** An empty folder. */
  readonly cwd: string;
}

/** Rolls out so many groups in a process of its own, which ends by itself. */
export type Contender = (options: ContenderOptions) => Promise<RunningProcess>;

const root = path.resolve(import.meta.dirname, '../../../..');
const cli = path.join(root, 'packages/cli/src/main.ts');

const ours =
  (file: string, backend: string): Contender =>
  async ({ url, groups, groupSize, cwd }) => {
    const flags: Record<string, string> = {
      'env.terminal_backend': backend,
      'env.group_size': String(groupSize),
      'env.total_steps': String(groups),
      'env.max_num_workers': '1',
      'env.data_path_to_save_groups': 'groups.jsonl',
      'openai.base_url': url,
    };
    const environment = path.join(import.meta.dirname, '../task', file);
    return startProcess({
      command: process.execPath,
      args: ['--conditions=lachesis-source', cli, 'env', 'process', environment, ...toArguments(flags)],
      name: `lachesis env process ${file}`,
      cwd,
    });
  };

/** As a user runs it, with the kernel's namespaces around each rollout's commands. */
export const ourNamespaces = ours('terminal-environment.ts', 'namespace');
/** The same without a wall, which is what the peer has. */
export const oursWithoutWall = ours('terminal-environment.ts', 'local');
export const oursForgetful = ours('forgetful-environment.ts', 'namespace');

const theirs =
  (isInThreads: boolean): Contender =>
  async ({ url, groups, groupSize, cwd }) => {
    const taskFile = path.join(cwd, 'task.json');
    await writeFile(taskFile, JSON.stringify({ prompt: TASK, data: DATA, answer: ANSWER }));
    const flags: Record<string, string> = {
      'env.task_file': taskFile,
      'env.in_threads': isInThreads ? 'True' : 'False',
      'env.group_size': String(groupSize),
      'env.total_steps': String(groups),
      'env.use_wandb': 'False',
      'env.data_path_to_save_groups': path.join(cwd, 'groups.jsonl'),
      'openai.base_url': url,
      slurm: 'False',
    };
    return runPython({ args: ['./terminal_env.py', 'process', ...toArguments(flags)], name: 'terminal_env.py', cwd });
  };

/** A tool that is one call of `subprocess.run`, which holds the event loop while the command runs. */
export const theirSubprocess = theirs(false);
/** With the threads that atroposlib leaves to the author. */
export const theirThreads = theirs(true);

const toArguments = (flags: Readonly<Record<string, string>>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
