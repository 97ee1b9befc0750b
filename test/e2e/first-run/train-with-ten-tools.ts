import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { openTerminal } from '../../kit/open-terminal.ts';
import type { Place } from './fresh-machine.ts';

const READY_MS = 180_000;
const LOOK_EVERY_MS = 1_000;
const TRAIN_MS = 240_000;
/** The mean of so many steps at either end, so that one lucky step is none. */
const COMPARED = 3;
export const RISEN_BY = 0.5;
/** On prompts that were not trained on. */
export const HELD_OUT_BY = 0.3;
const STEPS_PER_EVALUATION = 4;

export interface ToolsStory {
  readonly tools: readonly string[];
  readonly rewards: readonly number[];
  readonly risen: number;
  /** The reward on prompts that were not trained on, at each evaluation. */
  readonly heldOut: readonly number[];
  readonly status: string;
  readonly weightsPath: string | null;
}

export interface StoryOptions {
  /** 0 is none. */
  readonly stepsPerEvaluation?: number;
  /** Sequences of one step. */
  readonly batchSize?: number;
  /** When to stop; by default when the reward rose, on prompts that were not trained on too. */
  readonly isEnough?: (rewards: readonly number[], heldOut: readonly number[]) => boolean;
}

type Call = (name: string, input?: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** README's story as an agent lives it: `lachesis up --recipe cpu_tiny` in one window, the ten tools of `lachesis mcp` in another. */
export async function trainWithTenTools(
  place: Place,
  log: (text: string) => void,
  options: StoryOptions = {},
): Promise<ToolsStory> {
  const { home, folder, env } = place;
  await using terminal = openTerminal({ folder, env, onOutput: (text) => log(text.trimEnd()) });
  const command = join(home, 'lachesis-packages', 'node_modules', '.bin', 'lachesis');
  const end = await terminal.begin(`${command} up --recipe cpu_tiny`, READY_MS);
  if (end !== undefined) throw new Error(`lachesis up ended with ${end.code}:\n${end.output}`);
  const client = new Client({ name: 'first-run', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command, args: ['mcp'], cwd: folder, env: { ...env }, stderr: 'ignore' }),
  );
  const used = new Set<string>();
  const call: Call = async (name, input = {}) => {
    used.add(name);
    const reply = await client.callTool({ name, arguments: input });
    const [content] = reply.content as { text: string }[];
    if (reply.isError === true) throw new Error(`${name}: ${content?.text}`);
    return JSON.parse(content?.text ?? 'null') as Record<string, unknown>;
  };
  try {
    return { ...(await train(call, log, options)), tools: [...used].sort() };
  } finally {
    await client.close();
  }
}

async function train(
  call: Call,
  log: (text: string) => void,
  { stepsPerEvaluation = STEPS_PER_EVALUATION, batchSize, isEnough = hasLearned }: StoryOptions,
): Promise<Omit<ToolsStory, 'tools'>> {
  const { environments } = await call('rl_list_environments');
  const names = (environments as { name: string }[]).map(({ name }) => name);
  if (!names.includes('digits')) throw new Error(`digits is not among ${names.join(', ')}`);
  await call('rl_select_environment', { name: 'digits' });
  const config = await call('rl_get_current_config');
  log(JSON.stringify(config).slice(0, 400));
  await call('rl_edit_config', { field: 'group_size', value: 16 });
  await call('rl_edit_config', { field: 'steps_per_eval', value: stepsPerEvaluation });
  if (batchSize !== undefined) await call('rl_edit_config', { field: 'batch_size', value: batchSize });
  await call('rl_test_inference', { prompts: ['Write digits.'], max_tokens: 8 });
  const { run_id: runId } = await call('rl_start_training');
  if (typeof runId !== 'string') throw new Error('no run was started');
  const { runs } = await call('rl_list_runs');
  if (!(runs as { run_id: string }[]).some(({ run_id: id }) => id === runId)) throw new Error(`${runId} is in no list`);
  await call('rl_check_status', { run_id: runId });
  const until = performance.now() + TRAIN_MS;
  let results = await call('rl_get_results', { run_id: runId });
  while (performance.now() < until && isGoingOn(results) && !isEnough(rewardsOf(results), heldOutOf(results))) {
    await sleep(LOOK_EVERY_MS);
    results = await call('rl_get_results', { run_id: runId });
  }
  await call('rl_stop_training', { run_id: runId });
  while (performance.now() < until && isGoingOn(results)) {
    await sleep(LOOK_EVERY_MS);
    results = await call('rl_get_results', { run_id: runId });
  }
  const rewards = rewardsOf(results);
  return {
    heldOut: heldOutOf(results),
    ...{ rewards, risen: risenBy(rewards), status: String(results['status']) },
    weightsPath: typeof results['weights_path'] === 'string' ? results['weights_path'] : null,
  };
}

const isGoingOn = ({ status }: Record<string, unknown>): boolean =>
  !['completed', 'stopped', 'failed'].includes(String(status));

const rewardsOf = (results: Record<string, unknown>): number[] => readSeries(results, 'reward/mean');
const heldOutOf = (results: Record<string, unknown>): number[] => readSeries(results, 'eval/mean_reward');

function readSeries({ history }: Record<string, unknown>, name: string): number[] {
  return (history as Record<string, unknown>[]).flatMap((row) => {
    const value = row[name];
    return typeof value === 'number' ? [value] : [];
  });
}

const hasLearned: NonNullable<StoryOptions['isEnough']> = (rewards, heldOut) =>
  risenBy(rewards) >= RISEN_BY && gainOf(heldOut) >= HELD_OUT_BY;

/** From the evaluation before the first step to the last one. */
export const gainOf = (heldOut: readonly number[]): number => (heldOut.at(-1) ?? 0) - (heldOut[0] ?? 0);

function risenBy(rewards: readonly number[]): number {
  if (rewards.length < 2 * COMPARED) return 0;
  const mean = (part: readonly number[]): number => part.reduce((sum, value) => sum + value, 0) / part.length;
  return mean(rewards.slice(-COMPARED)) - mean(rewards.slice(0, COMPARED));
}
