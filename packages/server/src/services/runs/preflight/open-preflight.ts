import { readYamlFile } from '@lachesis/sdk/config';
import { loadTokenizer } from '@lachesis/sdk/render';
import type { TrainingRun } from '@lachesis/store';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskCheck } from './disk-check.ts';
import { createEngineChecks } from './engine-checks.ts';
import { createEnvironmentChecks } from './environment-checks.ts';
import { createPreflight } from './run-preflight.ts';
import { readRunDetails } from '../details.ts';
import type { Preflight } from '../supervisor/run-plan.ts';
import { runCommand } from '../programs/run-command.ts';
import type { Program } from '../programs/program.ts';
import { writeWhole } from '../programs/write-whole.ts';

export interface ControlPreflightOptions {
  home: string;
  program: Program;
  /** What the check of the environment is given. */
  variables: Readonly<Record<string, string>>;
  /** Further ones for an environment with these settings. */
  variablesFor: (settings: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;
  engineKey: string | undefined;
  /** The file of an environment; undefined when it is not known by its name. */
  findFile: (environment: string) => Promise<string | undefined>;
  /** Before the first step: keeps what is needed to do the run again. */
  saveReproduction: (run: TrainingRun) => Promise<void>;
  /** After the checks, where the recipe asks for it. */
  warmUp: (run: TrainingRun, signal: AbortSignal) => Promise<void>;
}

/** The check before a start, with the real parts. Its steps are kept in the directory of the run. */
export function createControlPreflight(options: ControlPreflightOptions): Preflight {
  const { home, engineKey } = options;
  const preflight = createPreflight({
    monotonic: () => performance.now(),
    checks: [
      ...createEngineChecks({ fetch, apiKey: engineKey, loadTokenizer: tryTokenizer }),
      createDiskCheck({ home, freeBytes }),
      ...createEnvironmentChecks({ check: (run, signal) => checkEnvironment(options, run, signal) }),
    ],
    async onSteps(run, steps) {
      await writeWhole(join(readRunDetails(run.details).directory, 'preflight.json'), { run_id: run.shortId, steps });
    },
  });
  return async (run, signal) => {
    await options.saveReproduction(run);
    const verdict = await preflight(run, signal);
    if (!verdict.passed) return verdict;
    try {
      await options.warmUp(run, signal);
      return verdict;
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      return { passed: false, reason: `the warm-up before the first step failed: ${reason}` };
    }
  };
}

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
  const { directory, environmentConfigPath, workingDirectory } = readRunDetails(run.details);
  // Without its servers: no policy is served yet, and the replies are the environment's own examples.
  const { env = {} } = (await readYamlFile(environmentConfigPath)) as { env?: Record<string, unknown> };
  const config = join(directory, 'preflight_env.yaml');
  await writeWhole(config, { env });
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
