import type { TrainingRun } from '@lachesis/store';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRunDetails } from './details.ts';
import { readRunEnvironments } from './environments-of-run.ts';
import { runCommand } from './programs/run-command.ts';
import type { Program } from './programs/program.ts';
import { writeWhole } from './programs/write-whole.ts';

export interface ControlWarmUpOptions {
  program: Program;
  /** What a command that loads an environment is given: nothing that opens the engine. */
  environmentVariables: (settings: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;
  /** What a command that trains is given. */
  trainerVariables: (run: TrainingRun) => Readonly<Record<string, string>>;
  /** What happens, as sentences for a person. */
  onEvent?: ((sentence: string) => void) | undefined;
}

interface WarmUpConfig {
  recipe?: { tinker?: { warm_up?: { steps: number; batch_size: number } | null; initial_state?: string | null } };
}

/** More would be the same ones again. */
const MOST_EXAMPLES = 10_000;

const fileOf = (directory: string): string => join(directory, 'warm-up.json');

/** The state that a run begins with, when its warm-up was made. */
export async function readWarmUp(directory: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(fileOf(directory), 'utf8')) as { state?: string }).state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The first phase of a run whose recipe asks for it: the environment gives examples in a process of its own, another one
 * teaches them. If we die in between, the next supervisor does it again; once the file is there, nobody does.
 */
export async function makeWarmUp(options: ControlWarmUpOptions, run: TrainingRun, signal: AbortSignal): Promise<void> {
  const { recipe } = run.config as WarmUpConfig;
  const plan = recipe?.tinker?.warm_up;
  const { directory, configPath, workingDirectory } = readRunDetails(run.details);
  if (!plan || recipe?.tinker?.initial_state || (await readWarmUp(directory)) !== undefined) return;
  const { program, onEvent = () => undefined } = options;
  const log = join(directory, 'warm-up.log');
  const config = join(directory, 'warm-up_env.yaml');
  const examples = join(directory, 'warm-up_examples.jsonl');
  const command = async (given: readonly string[], env: Readonly<Record<string, string>>): Promise<string[]> => {
    const lines: string[] = [];
    const { code, lastWords } = await runCommand({
      ...{ program, env, workingDirectory, signal, arguments: given, logPath: log },
      onLine: (line) => lines.push(line),
    });
    if (code === 0) return lines;
    throw new Error(
      lastWords || `\`lachesis ${given.slice(0, 2).join(' ')}\` ended with code ${code}; its log is ${log}`,
    );
  };
  onEvent(`warm-up: ${plan.steps} steps on examples of the environment; log ${log}`);
  const count = Math.min(plan.steps * plan.batch_size, MOST_EXAMPLES);
  const taught: string[][] = [];
  const environments = readRunEnvironments(run);
  const weights = environments.reduce((sum, { weight }) => sum + weight, 0);
  for (const { name, weight, environmentFile } of environments) {
    await writeWhole(config, { env: environmentFile });
    const own = Math.ceil((count * weight) / weights);
    taught.push(
      await command(
        ['env', 'examples', name, '--config', config, '--count', String(own)],
        options.environmentVariables(environmentFile),
      ),
    );
  }
  await writeFile(examples, `${interleave(taught).join('\n')}\n`, { mode: 0o600 });
  const told = await command(
    ['train', 'warm-up', '--config', configPath, '--examples', examples, '--json'],
    options.trainerVariables(run),
  );
  const { state, losses } = JSON.parse(told.findLast((line) => line.startsWith('{')) ?? '{}') as {
    state?: string;
    losses?: readonly number[];
  };
  if (state === undefined) throw new Error(`the warm-up gave no state; its log is ${log}`);
  await writeWhole(fileOf(directory), { state });
  const [first, last] = losses ?? [];
  const how = first === undefined || last === undefined ? '' : `: loss ${first.toFixed(2)} to ${last.toFixed(2)}`;
  onEvent(`warm-up done${how}`);
}

/** All lists in one, each spread over the whole: what comes last would be learned best. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  return lists
    .flatMap((list) => list.map((value, index) => ({ value, place: (index + 0.5) / list.length })))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
