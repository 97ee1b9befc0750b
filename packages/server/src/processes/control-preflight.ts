import { readYamlFile } from '@lachesis/sdk/config';
import { loadTokenizer } from '@lachesis/sdk/render';
import type { TrainingRun } from '@lachesis/store';
import { existsSync } from 'node:fs';
import { rename, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskCheck } from '../control/preflight/disk-check.ts';
import { createEngineChecks } from '../control/preflight/engine-checks.ts';
import { createEnvironmentChecks } from '../control/preflight/environment-checks.ts';
import { createPreflight } from '../control/preflight/run-preflight.ts';
import { readRunDetails } from '../control/runs/run-details.ts';
import type { Preflight } from '../control/supervisor/run-plan.ts';
import { runCommand } from './control-command.ts';
import type { Program } from './control-program.ts';

export interface ControlPreflightOptions {
  home: string;
  program: Program;
  environment: Readonly<Record<string, string | undefined>>;
  /** The file of an environment; undefined when it is not known by its name. */
  findFile: (environment: string) => Promise<string | undefined>;
  /** Before the first step: keeps what is needed to do the run again. */
  keepReproduction: (run: TrainingRun) => Promise<void>;
}

/** The check before a start, with the real parts. Its steps are kept in the directory of the run. */
export function createControlPreflight(options: ControlPreflightOptions): Preflight {
  const { home, environment } = options;
  const preflight = createPreflight({
    monotonic: () => performance.now(),
    checks: [
      ...createEngineChecks({ fetch, apiKey: environment['TINKER_API_KEY'], loadTokenizer: tryTokenizer }),
      createDiskCheck({ home, freeBytes }),
      ...createEnvironmentChecks({ check: (run, signal) => checkEnvironment(options, run, signal) }),
    ],
    async onSteps(run, steps) {
      await writeWhole(join(readRunDetails(run.details).directory, 'preflight.json'), { run_id: run.shortId, steps });
    },
  });
  return async (run, signal) => {
    await options.keepReproduction(run);
    return await preflight(run, signal);
  };
}

async function tryTokenizer(place: string): Promise<void> {
  await loadTokenizer(existsSync(place) ? { directory: place } : { hubCache: { repository: place } });
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function checkEnvironment(
  { program, environment, findFile }: ControlPreflightOptions,
  run: TrainingRun,
  signal: AbortSignal,
): Promise<unknown> {
  if ((await findFile(run.environment))?.endsWith('.py') === true) return undefined;
  const { directory, environmentConfigPath, workingDirectory } = readRunDetails(run.details);
  // Without its servers: no policy is served yet, and the replies are the environment's own examples.
  const { env } = (await readYamlFile(environmentConfigPath)) as { env?: unknown };
  const config = join(directory, 'preflight_env.yaml');
  await writeWhole(config, { env });
  const lines: string[] = [];
  const { code, lastWords } = await runCommand({
    ...{ program, environment, workingDirectory, signal },
    arguments: ['env', 'check', run.environment, '--config', config, '--json'],
    onLine: (line) => lines.push(line),
  });
  const last = lines.findLast((line) => line.startsWith('['));
  if (last !== undefined) return JSON.parse(last);
  throw new Error(lastWords || `The check of the environment ended with code ${code}.`);
}

/** JSON is YAML. */
export async function writeWhole(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}
