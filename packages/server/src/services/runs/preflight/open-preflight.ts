import { readYamlFile } from '@lachesis/sdk/config';
import { checkTemplateTools, loadTokenizer } from '@lachesis/sdk/render';
import type { PreflightStep, TrainerSection } from '@lachesis/protocol';
import type { Store, TrainingRun } from '@lachesis/store';
import { readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createEnvironmentSplitter } from './check-each-environment.ts';
import { createDiskCheck } from './disk-check.ts';
import { createEngineChecks, findModelName, modelOf } from './engine-checks.ts';
import { createEnvironmentChecks } from './environment-checks.ts';
import { createRewardsCheck, MOST_REPLIES, SAMPLED_TASKS, type SampledRewards } from './rewards-check.ts';
import { createPreflight } from './run-preflight.ts';
import { sampleModel } from './sample-model.ts';
import { createSettingsCheck } from './settings-check.ts';
import { createTeacherCheck } from './teacher-check.ts';
import { createTemplateCheck } from './template-check.ts';
import { readRunDetails } from '../details.ts';
import type { Preflight } from '../supervisor/run-plan.ts';
import { runCommand } from '../programs/run-command.ts';
import type { Program } from '../programs/program.ts';
import { writeWhole } from '../programs/write-whole.ts';
import { openRunTeacher } from '../../training/rl/distill/open-run-teacher.ts';
import { pinStart } from '../../training/rl/pin-start.ts';
import { readWarmUp } from '../warm-up.ts';
import { NOTHING_KNOWN } from '../why/learning/learning.ts';
import { writeWarmUpCommand } from '../why/learning/write-command.ts';

export interface ControlPreflightOptions {
  store: Store;
  home: string;
  program: Program;
  /** What the check of the environment is given. */
  variables: Readonly<Record<string, string>>;
  /** Further ones for an environment with these settings. */
  variablesFor: (settings: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;
  engineKey: string | undefined;
  /** Those of this process, for the key of a teacher. */
  env: Readonly<Record<string, string | undefined>>;
  /** The file of an environment; undefined when it is not known by its name. */
  findFile: (environment: string) => Promise<string | undefined>;
  /** Before the first step: keeps what is needed to do the run again. */
  saveReproduction: (run: TrainingRun) => Promise<void>;
  /** After the checks, where the recipe asks for it. */
  warmUp: (run: TrainingRun, signal: AbortSignal) => Promise<void>;
}

/**
 * The check before a start, with the real parts. Its steps are kept in the directory of the run. What the model earns is
 * looked at behind the warm-up, with the weights that the first step begins with.
 */
export function createControlPreflight(options: ControlPreflightOptions): Preflight {
  const { home, engineKey } = options;
  const made = new WeakMap<TrainingRun, readonly PreflightStep[]>();
  const shared = {
    monotonic: () => performance.now(),
    earlier: (run: TrainingRun) => made.get(run) ?? [],
    async onSteps(run: TrainingRun, steps: readonly PreflightStep[]) {
      made.set(run, [...steps]);
      await writeWhole(stepsFile(run), { run_id: run.shortId, steps });
    },
  };
  const forEach = createEnvironmentSplitter();
  const environment = createEnvironmentChecks({ check: (run, signal) => checkEnvironment(options, run, signal) });
  const first = createPreflight({
    ...shared,
    checks: [
      ...createEngineChecks({ fetch, apiKey: engineKey, loadTokenizer: tryTokenizer }),
      createTeacherCheck({
        tryTeacher: async (run, section, signal) => await tryTeacher(options, { run, section, signal }),
      }),
      forEach(createSettingsCheck()),
      createDiskCheck({ home, freeBytes }),
      ...environment.checks.map(forEach),
      forEach(
        createTemplateCheck({
          findTools: environment.findTools,
          findProblem: async (run, signal) => {
            const model = await findModelName({ fetch, apiKey: engineKey }, run, signal);
            return model === undefined ? undefined : checkTemplateTools(await loadTokenizer({ model })).problem;
          },
        }),
      ),
    ],
  });
  const behindWarmUp = createPreflight({
    ...shared,
    checks: [
      forEach(
        createRewardsCheck({
          sample: (run, signal) => sampleRun(options, run, signal),
          writeWarmUpCommand: (run) =>
            writeWarmUpCommand({
              ...NOTHING_KNOWN,
              ...{ environment: run.environment, configPath: readRunDetails(run.details).configPath },
            }),
        }),
      ),
    ],
  });
  return async (run, signal) => {
    await options.saveReproduction(run);
    const wasSampled = await hasSampled(run);
    const verdict = await first(run, signal);
    if (!verdict.passed) return verdict;
    try {
      await options.warmUp(run, signal);
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      return { passed: false, reason: `the warm-up before the first step failed: ${reason}` };
    }
    // A run that is taken up again may be far from where it began.
    return wasSampled ? verdict : await behindWarmUp(run, signal);
  };
}

const stepsFile = ({ details }: TrainingRun): string => join(readRunDetails(details).directory, 'preflight.json');

async function hasSampled(run: TrainingRun): Promise<boolean> {
  try {
    const { steps } = JSON.parse(await readFile(stepsFile(run), 'utf8')) as { steps?: PreflightStep[] };
    return steps?.some(({ name, state }) => name === 'rewards' && state !== 'failed') ?? false;
  } catch {
    // It was not checked yet.
    return false;
  }
}

interface SampledConfig {
  recipe?: { env?: { group_size?: number }; tinker?: { lora_rank?: number; initial_state?: string | null } };
}

/** What replies of the model earn that the run begins with; undefined where the environment cannot be asked. */
async function sampleRun(
  options: ControlPreflightOptions,
  run: TrainingRun,
  signal: AbortSignal,
): Promise<SampledRewards | undefined> {
  if ((await options.findFile(run.environment))?.endsWith('.py') === true) return undefined;
  const { directory, workingDirectory, engineUrl } = readRunDetails(run.details);
  const { env, config } = await writeCheckedConfig(run);
  const { recipe } = run.config as SampledConfig;
  const state = (await readWarmUp(directory)) ?? (await findState(options, run));
  const replies = Math.min(recipe?.env?.group_size ?? MOST_REPLIES, MOST_REPLIES);
  return await sampleModel({
    ...{ engineUrl: engineUrl ?? undefined, engineKey: options.engineKey, baseModel: modelOf(run), state },
    ...{ rank: recipe?.tinker?.lora_rank ?? DEFAULT_RANK, program: options.program, workingDirectory, signal },
    env: { ...options.variables, ...options.variablesFor(env) },
    logPath: join(directory, 'preflight.log'),
    arguments: [
      ...['env', 'sample', run.environment, '--config', config],
      ...['--tasks', String(SAMPLED_TASKS), '--replies', String(Math.max(2, replies))],
    ],
  });
}

async function tryTeacher(
  { store, engineKey, env }: ControlPreflightOptions,
  { run, section, signal }: { run: TrainingRun; section: TrainerSection; signal: AbortSignal },
): Promise<void> {
  const { directory, engineUrl } = readRunDetails(run.details);
  const baseModel = await findModelName({ fetch, apiKey: engineKey }, run, signal);
  if (baseModel === undefined) throw new Error('The engine does not say which models it has.');
  const teacher = await openRunTeacher({
    ...{ store, tenantId: run.tenantId, run: run.shortId, directory, section, student: { baseModel } },
    ...{ engineUrl: engineUrl ?? undefined, env: { ...env, TINKER_API_KEY: engineKey }, signal },
    log: pino({ level: 'silent' }),
  });
  await teacher?.close();
}

/** What the recipe begins with, as the trainer will find it. */
async function findState({ store }: ControlPreflightOptions, run: TrainingRun): Promise<string | undefined> {
  const { directory } = readRunDetails(run.details);
  const { recipe } = run.config as SampledConfig;
  const { tenantId, shortId } = run;
  return await pinStart({
    ...{ store, tenantId, run: shortId, given: recipe?.tinker?.initial_state, file: join(directory, 'start.json') },
  });
}

/** Of a recipe that names none. */
const DEFAULT_RANK = 32;

async function tryTokenizer(place: string): Promise<void> {
  await loadTokenizer({ model: place });
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function checkEnvironment(
  { program, variables, variablesFor, findFile }: ControlPreflightOptions,
  run: TrainingRun,
  signal: AbortSignal,
): Promise<unknown> {
  if ((await findFile(run.environment))?.endsWith('.py') === true) return undefined;
  const { workingDirectory } = readRunDetails(run.details);
  const { env, config } = await writeCheckedConfig(run);
  const lines: string[] = [];
  const { code, lastWords } = await runCommand({
    ...{ program, env: { ...variables, ...variablesFor(env) }, workingDirectory, signal },
    arguments: ['env', 'check', run.environment, '--config', config, '--json'],
    onLine: (line) => lines.push(line),
  });
  const last = lines.findLast((line) => line.startsWith('['));
  if (last !== undefined) return JSON.parse(last);
  throw new Error(lastWords || `The check of the environment ended with code ${code}.`);
}

/** Without its servers: no policy is served yet, and replies come from elsewhere. */
async function writeCheckedConfig(run: TrainingRun): Promise<{ env: Record<string, unknown>; config: string }> {
  const { directory, environmentConfigPath } = readRunDetails(run.details);
  const { env = {} } = (await readYamlFile(environmentConfigPath)) as { env?: Record<string, unknown> };
  const config = join(directory, 'preflight_env.yaml');
  await writeWhole(config, { env });
  return { env, config };
}
