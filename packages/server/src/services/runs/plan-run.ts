import type { RunRole } from '@lachesis/protocol';
import { homePaths, runPath } from '@lachesis/protocol/home';
import { variableName, writeConfigYaml } from '@lachesis/sdk/config';
import type { JsonValue, TrainingRun } from '@lachesis/store';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addressWithCredentials, withoutCredentials } from './engine-address.ts';
import { readRunDetails, type RunDetails } from './details.ts';
import { readRunEnvironments } from './environments-of-run.ts';
import type { PlanRun, ProcessIdentity, ProcessPlan, RunPlan } from './supervisor/run-plan.ts';
import type { RunPlaces } from './service.ts';
import type { ResolvedRun } from './config/configurator.ts';
import type { Program } from './programs/program.ts';
import { readWarmUp } from './warm-up.ts';
import { chooseVariables, rewardKeyOfAll } from './programs/process-variables.ts';

export interface RunPlannerOptions {
  home: string;
  databaseUrl: string | undefined;
  program: Program;
  /** Of this process; each process of a run gets what it needs of it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Names of further variables for trainers and environments. */
  passEnv: readonly string[];
  workingDirectory: string;
  /** Instead of a choice by role: whoever trains at a terminal lends its processes what it has itself. */
  passesAll?: boolean | undefined;
}

/** Names the files of a run. */
export function placeRun(
  options: Pick<RunPlannerOptions, 'home' | 'workingDirectory'> & {
    shortId: string;
    resolved: ResolvedRun;
    engineUrl: string | undefined;
  },
): RunPlaces {
  const { home, shortId, resolved } = options;
  const directory = runPath(home, shortId);
  const { logs } = homePaths(home);
  return {
    logs: {
      api: join(logs, `api_${shortId}.log`),
      trainer: join(logs, `trainer_${shortId}.log`),
      env: join(logs, `env_${shortId}.log`),
    },
    details: {
      directory,
      configPath: join(directory, `run_${shortId}.yaml`),
      environmentConfigPath: join(directory, `env_${shortId}.yaml`),
      totalSteps: resolved.totalSteps,
      wandbProject: resolved.wandbProject,
      wandbRunName: resolved.wandbRunName,
      workingDirectory: options.workingDirectory,
      engineUrl: options.engineUrl === undefined ? null : withoutCredentials(options.engineUrl),
      estimate: resolved.estimate ?? null,
      command: null,
      environmentArguments: [],
      starter: null,
      forkOf: null,
    },
  };
}

interface Addresses {
  api: string;
  inference: string;
}

const addressesOf = (run: TrainingRun, ports: { api: number | null; trainer: number | null }): Addresses => ({
  api: `http://127.0.0.1:${ports.api}/run/${run.shortId}`,
  inference: `http://127.0.0.1:${ports.trainer}`,
});

/** The YAML of a run and that of each of its environments, whole or not at all. */
export async function writeRunFiles(
  run: TrainingRun,
  ports: { api: number | null; trainer: number | null },
): Promise<void> {
  const { recipe } = run.config as {
    recipe: { env: Record<string, JsonValue>; openai: Record<string, JsonValue>[]; tinker: Record<string, JsonValue> };
  };
  const details = readRunDetails(run.details);
  const { api, inference } = addressesOf(run, ports);
  // The key of whatever the recipe names is none of ours; the process has one of its own, see `identityOf`.
  const openai = recipe.openai.map(({ api_key: _key, ...server }) => ({ ...server, base_url: `${inference}/v1` }));
  const shared = { rollout_server_url: api };
  await mkdir(details.directory, { recursive: true });
  const { environment } = run;
  const environments = readRunEnvironments(run);
  const state = await readWarmUp(details.directory);
  await writeYaml(details.configPath, {
    environment,
    ...(environments.length === 1
      ? {}
      : {
          environments: environments.map(({ name, weight, environmentFile: config }) => ({ name, weight, config })),
        }),
    env: { ...recipe.env, ...shared },
    openai,
    tinker: { ...recipe.tinker, ...(state === undefined ? {} : { initial_state: state }) },
  });
  for (const { environmentFile, configPath } of environments) {
    await writeYaml(configPath, { env: { ...environmentFile, ...shared }, openai });
  }
  if (environments.length > 1) {
    const mix = environments.map(({ name, configPath: config }) => ({ name, config }));
    await writeYaml(mixPathOf(details), { environments: mix });
  }
}

/** What `lachesis env mix` reads. */
const mixPathOf = ({ environmentConfigPath }: RunDetails): string =>
  environmentConfigPath.replace(/(?=\.yaml$)/, '_mix');

async function writeYaml(path: string, values: object): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, writeConfigYaml({ values, origins: {}, secrets: new Set() }), { mode: 0o600 });
  await rename(draft, path);
}

/**
 * What each process of a run proves itself with. The trajectory API calls nobody; an environment may push to its run and
 * sample from its policy, and nothing else. Every server of an environment's configuration is the run's own policy.
 */
function identityOf(role: RunRole, run: TrainingRun): ProcessIdentity | undefined {
  if (role === 'api') return undefined;
  if (role === 'trainer') return { scopes: ['trainer:pull'], variables: ['LACHESIS_TOKEN'] };
  const { openai } = (run.config as { recipe: { openai: readonly unknown[] } }).recipe;
  const keys = openai.map((_, index) => variableName(`openai.${index}.api_key`));
  return { scopes: ['env:push', 'inference:call'], variables: ['LACHESIS_TOKEN', ...keys] };
}

/** How the processes of a run are started: commands of this program, each with what the run's row says. */
export function createRunPlanner(options: RunPlannerOptions): PlanRun {
  const { home, databaseUrl, program } = options;
  const written = new Set<string>();
  return async (run, ports): Promise<RunPlan> => {
    if (!written.has(run.runId) && readRunDetails(run.details).command === null) {
      await writeRunFiles(run, ports);
      written.add(run.runId);
    }
    const details = readRunDetails(run.details);
    const { inference } = addressesOf(run, ports);
    const environments = readRunEnvironments(run);
    const opensStore = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    const speaksToEngine =
      details.engineUrl === null
        ? {}
        : { TINKER_BASE_URL: addressWithCredentials(details.engineUrl, options.env['TINKER_BASE_URL']) };
    const further: Record<RunRole, Record<string, string>> = {
      api: opensStore,
      trainer: { ...opensStore, ...speaksToEngine },
      env: rewardKeyOfAll(
        environments.map(({ environmentFile }) => environmentFile),
        options.env,
      ),
    };
    const plan = (role: RunRole, given: readonly string[], readyUrl?: string): ProcessPlan => ({
      ...{ file: program.file, arguments: [...program.arguments, ...given], readyUrl },
      env: {
        ...(options.passesAll === true ? options.env : chooseVariables(options.env, { role, passed: options.passEnv })),
        ...{ LACHESIS_HOME: home, ...further[role] },
      },
      identity: identityOf(role, run),
      workingDirectory: details.workingDirectory,
    });
    if (details.command !== null) {
      return { processes: { trainer: { ...plan('trainer', details.command), mayEnd: true } } };
    }
    const at = (port: number | null): string[] => ['--port', String(port), '--host', '127.0.0.1'];
    const own = ['--run', run.shortId];
    return {
      statusUrl: `${inference}/v1/trainer`,
      processes: {
        api: plan('api', ['serve', 'trajectory-api', ...at(ports.api), ...own], `http://127.0.0.1:${ports.api}/`),
        trainer: plan(
          'trainer',
          ['serve', 'trainer', '--config', details.configPath, ...at(ports.trainer), ...own, '--tenant', run.tenantId],
          `${inference}/v1/trainer`,
        ),
        env: {
          ...plan('env', [
            ...(environments.length === 1
              ? ['env', 'serve', run.environment, '--config', details.environmentConfigPath]
              : ['env', 'mix', mixPathOf(details)]),
            ...details.environmentArguments,
          ]),
          mayEnd: true,
        },
      },
    };
  };
}
