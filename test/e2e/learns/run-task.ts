import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { runGrpo } from '../grpo-tiny/run-grpo.ts';
import type { GrpoRun } from '../grpo-tiny/run-grpo.ts';
import { FAULT_VARIABLE } from './faults.ts';
import type { FaultName } from './faults.ts';
import { REPLY_TOKENS } from './describe-task.ts';
import { measureHeldOut } from './measure-held-out.ts';
import type { HeldOut } from './measure-held-out.ts';
import type { TaskPlace } from './open-place.ts';
import type { Task, TaskName } from './tasks.ts';

export interface TaskSettings {
  readonly groupSize: number;
  readonly groups: number;
  readonly learningRate: number;
  readonly klCoefficient: number;
}

const SMALL_BATCH: TaskSettings = { groupSize: 4, groups: 32, learningRate: 3e-3, klCoefficient: 0.5 };
/** What is harder to tell from a prompt needs a gradient of more samples. */
const LARGE_BATCH: TaskSettings = { ...SMALL_BATCH, groups: 64, learningRate: 2e-3 };
export const SETTINGS: Readonly<Record<TaskName, TaskSettings>> = {
  ...{ copy: SMALL_BATCH, lookup: SMALL_BATCH },
  ...{ majority: LARGE_BATCH, larger: LARGE_BATCH },
  // Two replies are held near the start, each by as much.
  tool: { ...LARGE_BATCH, klCoefficient: 0.2 },
};
/** Beyond it a run has hung, or shares its machine with too many. */
const PATIENCE_MS = 900_000;

const outputs = fileURLToPath(new URL('../../../.ci/logs/learns/', import.meta.url));
const seedFault = new URL('seed-fault.ts', import.meta.url).href;

export interface World extends TaskPlace {
  readonly context: ScenarioContext;
  readonly engineUrl: string;
  readonly modelDirectory: string;
  readonly task: Task;
  readonly seed: number;
  /** What the warm-up left. */
  readonly initialState: string;
}

export interface TaskRun {
  readonly run: GrpoRun;
  readonly after: HeldOut;
}

/** GRPO from the warm-up through trajectory API, trainer and environment as processes, then the look at what was held out. */
export async function runTask(
  world: World,
  options: { steps: number; until?: (steps: GrpoRun['steps']) => boolean; fault?: FaultName },
): Promise<TaskRun> {
  const { context, task, seed } = world;
  const { steps, until, fault } = options;
  const { groupSize, groups, learningRate, klCoefficient } = SETTINGS[task.name];
  const name = `${task.name}-${seed}${fault === undefined ? '' : `-${fault}`}`;
  const run = await runGrpo({
    ...{ engineUrl: world.engineUrl, place: world.place, home: world.home, run: name },
    environment: `learns/environments/${task.name}.ts`,
    sharedFlags: [
      ...['--env.total_steps', String(steps), '--env.group_size', String(groupSize)],
      ...['--env.batch_size', String(groupSize * groups), '--env.max_num_workers', String(groups)],
      // Strictly on-policy: with the rate this needs, a sample of the weights before is of another policy.
      ...['--env.max_batches_offpolicy', '0'],
    ],
    trainerFlags: [
      ...['--tinker.initial_state', world.initialState, '--tinker.seed', String(seed)],
      ...['--tinker.loss', 'ppo', '--tinker.advantage', 'std_normalised'],
      ...['--tinker.learning_rate', String(learningRate)],
      // The warm-up leaves every answer as likely as any other. Held near it, no answer dies out before its prompts are met.
      ...['--tinker.kl_coefficient', String(klCoefficient)],
      ...['--tinker.save_checkpoint_interval', '0'],
    ],
    environmentFlags: ['--env.seed', String(seed)],
    ...(until === undefined ? {} : { until }),
    ...(fault === undefined
      ? {}
      : { trainerVariables: { [FAULT_VARIABLE]: fault, NODE_OPTIONS: `--import ${seedFault}` } }),
    title: `${task.name} on the tiny model, seed ${seed}: mean reward of a batch`,
    probe: { prompt: task.train[0]?.prompt ?? '', samples: groupSize, maxTokens: REPLY_TOKENS },
    output: join(outputs, name),
    timeoutMs: PATIENCE_MS,
    ...{ log: (text) => context.log(`${name}: ${text}`), defer: context.defer },
  });
  const { weights_path: weightsPath } = run.status;
  if (weightsPath === null)
    throw new Error(`${name}: the trainer ended at step ${run.status.step} and names no weights`);
  return { run, after: await measureHeldOut({ ...world, weightsPath }) };
}
