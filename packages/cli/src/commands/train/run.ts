import type { Recipe } from '@lachesis/protocol';
import { homePaths, runPath } from '@lachesis/protocol/home';
import { writeConfigYaml } from '@lachesis/sdk/config';
import { runTraining, type TrainerStatus } from '@lachesis/server';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fail } from '../../terminal/fail.ts';
import { openTrainTokens } from './tokens.ts';

export interface RunRecipeOptions {
  readonly home: string;
  /** Name of the run. */
  readonly run: string;
  /** A name or a file. */
  readonly environment: string;
  readonly recipe: Recipe;
  /** The section env for the environment's own file. */
  readonly environmentFile: Readonly<Record<string, unknown>>;
  readonly environmentFlags?: readonly string[];
  /** Absent for the managed service. */
  readonly engineUrl: string | undefined;
  /** Listen on free ports instead of those of the recipe. */
  readonly anyPort: boolean;
  readonly workingDirectory?: string | undefined;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Ends everything at once. */
  readonly hurry: AbortSignal;
  readonly onEvent: (sentence: string) => void;
  readonly onLine: (line: string) => void;
}

export interface RunFiles {
  readonly recipe: string;
  readonly environmentConfig: string;
  readonly metrics: string;
  readonly apiLog: string;
  readonly trainerLog: string;
  readonly environmentLog: string;
}

/** Where a run keeps what a person looks for. */
export function listRunFiles({ home, run }: { home: string; run: string }): RunFiles {
  const { logs } = homePaths(home);
  return {
    recipe: join(logs, `recipe_${run}.yaml`),
    environmentConfig: join(logs, `env_${run}.yaml`),
    metrics: join(runPath(home, run), 'metrics.jsonl'),
    apiLog: join(logs, `api_${run}.log`),
    trainerLog: join(logs, `trainer_${run}.log`),
    environmentLog: join(logs, `env_${run}.log`),
  };
}

/** Runs a recipe as a tree of processes of this program, until it has ended or the signal ends it. */
export async function runRecipe(options: RunRecipeOptions): Promise<TrainerStatus | undefined> {
  const { home, run, environment, recipe, environmentFile, engineUrl, anyPort } = options;
  const files = listRunFiles({ home, run });
  const apiPort = anyPort ? await findFreePort() : portOf(recipe.env.rollout_server_url, 8000);
  const trainerPort = anyPort ? await findFreePort() : portOf(recipe.openai[0]?.base_url, 8001);
  const apiUrl = `http://127.0.0.1:${apiPort}/run/${run}`;
  const inferenceUrl = `http://127.0.0.1:${trainerPort}`;

  await mkdir(homePaths(home).logs, { recursive: true });
  await using tokens = await openTrainTokens({ home, run, servers: recipe.openai.length });
  const servers = recipe.openai.map((server) => ({ ...server, base_url: `${inferenceUrl}/v1` }));
  const shared = { rollout_server_url: apiUrl };
  // Secrets stay where they were given: neither file holds more than the recipe did.
  await writeYaml(files.recipe, {
    environment,
    env: { ...recipe.env, ...shared },
    openai: servers,
    tinker: recipe.tinker,
  });
  // Where a token is asked for, the environment has one of its own: what the recipe names is no key of this run.
  const asked = tokens.isAsked ? servers.map(withoutKey) : servers;
  await writeYaml(files.environmentConfig, { env: { ...environmentFile, ...shared }, openai: asked });

  const main = process.argv[1] ?? fail('this program does not know its own path.');
  const places = (port: number): string[] => ['--port', String(port), '--host', '127.0.0.1'];
  return await runTraining({
    command: { file: process.execPath, arguments: [...process.execArgv, main] },
    variables: {
      LACHESIS_HOME: home,
      ...(engineUrl === undefined ? {} : { TINKER_BASE_URL: engineUrl }),
      ...options.variables,
    },
    workingDirectory: options.workingDirectory,
    api: {
      name: 'trajectory API',
      arguments: ['serve', 'trajectory-api', ...places(apiPort)],
      logPath: files.apiLog,
      readyUrl: `http://127.0.0.1:${apiPort}/`,
    },
    trainer: {
      name: 'trainer',
      arguments: ['serve', 'trainer', '--config', files.recipe, ...places(trainerPort), '--run', run],
      logPath: files.trainerLog,
      readyUrl: `${inferenceUrl}/v1/trainer`,
      variables: tokens.trainer,
    },
    environment: {
      name: 'environment',
      arguments: [
        ...['env', 'serve', environment, '--config', files.environmentConfig],
        ...withoutPlaces(options.environmentFlags ?? []),
      ],
      logPath: files.environmentLog,
      variables: tokens.environment,
    },
    statusUrl: `${inferenceUrl}/v1/trainer`,
    token: tokens.view,
    signal: options.signal,
    hurry: options.hurry,
    onEvent: options.onEvent,
    onLine: options.onLine,
  });
}

function withoutKey(server: object): object {
  const { api_key: _key, ...rest } = server as Record<string, unknown>;
  return rest;
}

/** Addresses are this command's to set. */
function withoutPlaces(environmentFlags: readonly string[]): string[] {
  const places = /^--(?:env\.rollout[_-]server[_-]url|openai\.(?:\d+\.)?base[_-]url)(?:=|$)/;
  return environmentFlags.filter((argument, index) => {
    const before = environmentFlags[index - 1] ?? '';
    const isValueOfPlace = places.test(before) && !before.includes('=') && !argument.startsWith('--');
    return !places.test(argument) && !isValueOfPlace;
  });
}

async function writeYaml(path: string, values: object): Promise<void> {
  await writeFile(path, writeConfigYaml({ values, origins: {}, secrets: new Set() }), { mode: 0o600 });
}

function portOf(url: string | undefined, otherwise: number): number {
  const port = url === undefined || !URL.canParse(url) ? '' : new URL(url).port;
  return port === '' ? otherwise : Number(port);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
