import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { repositoryRoot } from './source-files.ts';

const run = promisify(execFile);

/** Loading the whole product takes a few seconds on a busy machine. */
const timeoutMs = 60_000;

/** What is read of a command of citty: anything in it may be a promise or a function. */
interface Command {
  args?: unknown;
  subCommands?: unknown;
  /** A command with commands below it may be run by itself as well. */
  run?: unknown;
}

/** Every command of the CLI with its options. Read in a process of its own, by Node, from the definitions that people's words end at. */
export async function readCommands(): Promise<Record<string, string[]>> {
  const script = fileURLToPath(new URL('print-commands-process.ts', import.meta.url));
  const { stdout } = await run(process.execPath, ['--conditions=lachesis-source', script], {
    cwd: repositoryRoot,
    timeout: timeoutMs,
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout) as Record<string, string[]>;
}

/** The commands below a definition, each by its words. */
export async function walkCommands(command: Command, words: readonly string[]): Promise<Record<string, string[]>> {
  const below = Object.entries((await resolve(command.subCommands)) ?? {});
  if (below.length === 0) return { [words.join(' ')]: listOptions((await resolve(command.args)) ?? {}) };
  const found = await Promise.all(
    below.map(async ([name, each]) => walkCommands((await resolve(each)) as Command, [...words, name])),
  );
  const own = command.run === undefined ? {} : { [words.join(' ')]: listOptions((await resolve(command.args)) ?? {}) };
  const all = Object.assign(own, ...found) as Record<string, string[]>;
  return Object.fromEntries(Object.entries(all).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

async function resolve(value: unknown): Promise<Record<string, unknown> | undefined> {
  const given: unknown = typeof value === 'function' ? (value as () => unknown)() : value;
  return (await given) as Record<string, unknown> | undefined;
}

/** Positions first, in their order; then options by name, with their short forms. */
function listOptions(args: Record<string, unknown>): string[] {
  const positions: string[] = [];
  const options: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    const { type, alias } = value as { type?: string; alias?: string | string[] };
    if (type === 'positional') positions.push(`<${name.toLowerCase()}>`);
    else {
      const short = alias === undefined ? [] : [alias].flat();
      options.push(`--${name}`, ...short.map((each) => (each.length === 1 ? `-${each}` : `--${each}`)));
    }
  }
  return [...positions, ...options.toSorted()];
}
