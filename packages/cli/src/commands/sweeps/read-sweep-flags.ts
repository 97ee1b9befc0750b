import { fail } from '../../terminal/fail.ts';

/** Options of `lachesis train` that make a sweep of it. */
export interface SweepFlags {
  readonly seeds: readonly number[];
  readonly grid: Readonly<Record<string, readonly string[]>>;
  readonly metric: string;
  readonly isHalving: boolean;
  readonly parallel: number;
  /** The name of the sweep; one that was used before goes on. */
  readonly name: string | undefined;
  readonly resumesRuns: boolean;
  readonly html: string | undefined;
  /** What all runs are started with. */
  readonly rest: readonly string[];
}

/** Options with a value; `--grid` may be given several times. */
const VALUED = ['grid', 'html', 'metric', 'parallel', 'run', 'seeds', 'sweep'] as const;
const SWITCHES = ['any-port', 'halving', 'json', 'resume-runs', 'start-engine'] as const;

/** Whether a command line asks for more than one run. */
export const asksForSweep = (rawArgs: readonly string[]): boolean =>
  rawArgs.some((argument) => /^--(?:grid|seeds|sweep)(?:=|$)/.test(argument));

/** Takes the options of a sweep out of the arguments; what the grid sets is taken out of the rest too. */
export function readSweepFlags(rawArgs: readonly string[]): SweepFlags {
  const given = new Map<string, string[]>();
  const others: string[] = [];
  for (let index = 0; index < rawArgs.length; index += 1) {
    const argument = rawArgs[index] ?? '';
    const match = /^--([a-z][a-z-]*)(?:=(.*))?$/s.exec(argument);
    const name = match?.[1] ?? '';
    if (VALUED.some((known) => known === name)) {
      const value = match?.[2] ?? rawArgs[(index += 1)];
      if (value === undefined) fail(`--${name} needs a value.`);
      given.set(name, [...(given.get(name) ?? []), value ?? '']);
    } else if (SWITCHES.some((known) => known === name)) given.set(name, ['true']);
    else others.push(argument);
  }
  if (given.has('run')) fail('a sweep names its runs itself; --sweep gives it a name.');
  const last = (name: string): string | undefined => given.get(name)?.at(-1);
  const grid = Object.fromEntries((given.get('grid') ?? []).map(readAxis));
  const seeds = readSeeds(last('seeds') ?? '1');
  const set = [...Object.keys(grid), ...(given.has('seeds') ? ['env.seed', 'tinker.seed'] : [])];
  return {
    ...{ grid, seeds, name: last('sweep'), html: last('html') },
    // As people say it; the series is called after what it is the mean of.
    metric: (last('metric') ?? 'eval/mean_reward').replace(/(^|\/)eval\/reward$/, '$1eval/mean_reward'),
    isHalving: given.has('halving'),
    resumesRuns: given.has('resume-runs'),
    parallel: readParallel(last('parallel') ?? '2'),
    rest: withoutSettings(others, set),
  };
}

function readAxis(text: string): [string, string[]] {
  const match = /^((?:env|tinker)\.[\w.-]+)=(.+)$/s.exec(text);
  const values = (match?.[2] ?? '').split(',').filter((value) => value !== '');
  if (match === null || values.length === 0)
    return fail(`--grid ${JSON.stringify(text)}: a setting and its values, such as tinker.learning_rate=1e-4,3e-4.`);
  return [(match[1] ?? '').replaceAll('-', '_'), [...new Set(values)]];
}

/** `3` is the seeds 1, 2 and 3; `1,5,9` are those. */
function readSeeds(text: string): number[] {
  const numbers = text.split(',').map(Number);
  if (numbers.some((seed) => !Number.isInteger(seed) || seed < 0) || text === '' || text === '0')
    return fail(`--seeds ${JSON.stringify(text)}: how many, or which, such as 3 or 1,5,9.`);
  const [only = 1] = numbers;
  return text.includes(',') ? [...new Set(numbers)] : Array.from({ length: only }, (_, index) => index + 1);
}

function readParallel(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) return fail(`--parallel ${JSON.stringify(text)}: 1 or more.`);
  return count;
}

/** A setting given twice would be a list. */
function withoutSettings(others: readonly string[], names: readonly string[]): string[] {
  const isSet = (argument: string): boolean =>
    names.some((name) => {
      const written = argument.replaceAll('-', '_');
      return written === `__${name}` || written.startsWith(`__${name}=`);
    });
  return others.filter((argument, index) => {
    const before = others[index - 1] ?? '';
    const isValue = isSet(before) && !before.includes('=') && !argument.startsWith('--');
    return !isSet(argument) && !isValue;
  });
}
