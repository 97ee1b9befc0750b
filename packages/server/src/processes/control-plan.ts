import { writeConfigYaml } from '@lachesis/sdk/config';
import type { JsonValue, TrainingRun } from '@lachesis/store';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRunDetails } from '../control/runs/run-details.ts';
import type { PlanRun, ProcessPlan, RunPlan } from '../control/supervisor/run-plan.ts';
import type { RunPlaces } from '../control/runs/run-service.ts';
import type { ResolvedRun } from '../control/runs/run-configurator.ts';
import type { Program } from './control-program.ts';

export interface RunPlannerOptions {
  home: string;
  databaseUrl: string | undefined;
  program: Program;
  /** Of this process; what is ours alone is taken out. */
  environment: Readonly<Record<string, string | undefined>>;
  workingDirectory: string;
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
  const directory = join(home, 'runs', shortId);
  const logs = join(home, 'logs', 'rl_training');
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
      engineUrl: options.engineUrl ?? null,
      estimate: resolved.estimate ?? null,
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

/** The YAML of a run and that of its environment, whole or not at all. */
export async function writeRunFiles(
  run: TrainingRun,
  ports: { api: number | null; trainer: number | null },
): Promise<void> {
  const { recipe, environmentFile } = run.config as {
    recipe: { env: Record<string, JsonValue>; openai: Record<string, JsonValue>[]; tinker: Record<string, JsonValue> };
    environmentFile: Record<string, JsonValue>;
  };
  const details = readRunDetails(run.details);
  const { api, inference } = addressesOf(run, ports);
  const openai = recipe.openai.map((server) => ({ ...server, base_url: `${inference}/v1` }));
  const shared = { rollout_server_url: api };
  await mkdir(details.directory, { recursive: true });
  const { environment } = run;
  await writeYaml(details.configPath, {
    environment,
    env: { ...recipe.env, ...shared },
    openai,
    tinker: recipe.tinker,
  });
  await writeYaml(details.environmentConfigPath, { env: { ...environmentFile, ...shared }, openai });
}

async function writeYaml(path: string, values: object): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, writeConfigYaml({ values, origins: {}, secrets: new Set() }), { mode: 0o600 });
  await rename(draft, path);
}

/** How the processes of a run are started: commands of this program, each with what the run's row says. */
export function createRunPlanner(options: RunPlannerOptions): PlanRun {
  const { home, databaseUrl, program } = options;
  const written = new Set<string>();
  const { LACHESIS_CHILD_SETTINGS: _settings, LACHESIS_PROGRAM: _program, ...inherited } = options.environment;
  return async (run, ports): Promise<RunPlan> => {
    if (!written.has(run.runId)) {
      await writeRunFiles(run, ports);
      written.add(run.runId);
    }
    const details = readRunDetails(run.details);
    const { inference } = addressesOf(run, ports);
    const environment = {
      ...inherited,
      LACHESIS_HOME: home,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...(details.engineUrl === null ? {} : { TINKER_BASE_URL: details.engineUrl }),
    };
    const plan = (given: readonly string[], readyUrl?: string): ProcessPlan => ({
      ...{ file: program.file, arguments: [...program.arguments, ...given], environment, readyUrl },
      workingDirectory: details.workingDirectory,
    });
    const at = (port: number | null): string[] => ['--port', String(port), '--host', '127.0.0.1'];
    return {
      statusUrl: `${inference}/v1/trainer`,
      processes: {
        api: plan(['serve', 'trajectory-api', ...at(ports.api)], `http://127.0.0.1:${ports.api}/`),
        trainer: plan(
          ['serve', 'trainer', '--config', details.configPath, ...at(ports.trainer), '--run', run.shortId],
          `${inference}/v1/trainer`,
        ),
        env: plan(['env', 'serve', run.environment, '--config', details.environmentConfigPath]),
      },
    };
  };
}
