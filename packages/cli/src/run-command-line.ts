import { type ArgsDef, type CommandDef, runCommand } from 'citty';
import { COMMANDS, type CommandEntry } from './command-table.ts';
import { findCommand, resolve } from './main-command.ts';
import { renderCommandHelp } from './render-command-help.ts';
import { EXIT_CODES } from './terminal/exit-codes.ts';
import { fail, failUsage } from './terminal/fail.ts';

/** Runs what was typed, or shows the help of it. What is typed wrongly is one line and an exit code of its own. */
export async function runCommandLine(
  rawArgs: string[],
  screen: { isColoured: boolean; columns: number },
): Promise<void> {
  const { path, entry } = findPath(rawArgs);
  if (rawArgs.includes('--help') || rawArgs.includes('-h')) {
    const { description, commands: below = {} } = entry;
    const commands = Object.fromEntries(Object.entries(below).map(([name, each]) => [name, each.description]));
    const args = await readArgs(await findCommand(path));
    process.stdout.write(`${renderCommandHelp({ path, description, args, commands, ...screen })}\n`);
    return;
  }
  // The words at the beginning name the command, and no word behind an option does: it may be the value of one, such as
  // `batch --resume True` or `train --env.total_steps 5`.
  const { subCommands, ...command } = await findCommand(path);
  const words = rawArgs.slice(path.length);
  const args = await readArgs(command);
  if (subCommands !== undefined) refuseStrayWord(words, path);
  else if (!Object.values(args).some(({ type }) => type === 'positional')) refuseAnyWord(words, path, args);
  try {
    await runCommand(command, { rawArgs: words });
  } catch (error) {
    if (error instanceof Error && error.name === 'CLIError') {
      failUsage(explain(error.message, path, args));
    }
    if (isRefusalOfStore(error)) fail(error.message);
    console.error(error, '\n');
    process.exit(EXIT_CODES.failed);
  }
}

/** A place that is taken, a backup that is damaged, a bucket without a name: a sentence. A fault of ours keeps its stack. */
const isRefusalOfStore = (error: unknown): error is Error =>
  // What every error of the store has; the store itself is not loaded for `--help`.
  error instanceof Error && 'retryable' in error;

/** `improve --model m stop` would begin what somebody wanted to end. */
function refuseStrayWord(words: readonly string[], path: readonly string[]): void {
  const stray = words.find((word, index) => !word.startsWith('-') && !/^-[^=]+$/.test(words[index - 1] ?? ''));
  if (stray === undefined) return;
  const typed = ['lachesis', ...path].join(' ');
  failUsage(
    `${JSON.stringify(stray)} belongs to no option. The name of a command comes before all options: \`${typed} --help\` lists them.`,
  );
}

/** `ui extra` would do what `ui` does, and nobody would hear that the word meant nothing. */
function refuseAnyWord(words: readonly string[], path: readonly string[], args: ArgsDef): void {
  const isValue = (word: string, before = ''): boolean => {
    const name = /^--?([^=]+)$/.exec(before)?.[1];
    if (name === undefined) return false;
    // `--resume True` is a habit of other programs; whether it may be said is the command's to tell.
    return args[name.replace(/^no-/, '')]?.type !== 'boolean' || /^(?:true|false)$/i.test(word);
  };
  const stray = words.find((word, index) => !word.startsWith('-') && !isValue(word, words[index - 1]));
  if (stray === undefined) return;
  const typed = ['lachesis', ...path].join(' ');
  failUsage(`${JSON.stringify(stray)} belongs to no option: \`${typed} --help\` lists what it takes.`);
}

/** The words that name a command, such as `data sets make`. */
function findPath(words: readonly string[]): { path: string[]; entry: CommandEntry } {
  const path: string[] = [];
  let entry: CommandEntry = COMMANDS;
  for (const word of words) {
    const next = entry.commands !== undefined && Object.hasOwn(entry.commands, word) ? entry.commands[word] : undefined;
    if (next === undefined) break;
    entry = next;
    path.push(word);
  }
  return { path, entry };
}

const readArgs = async (command: CommandDef): Promise<ArgsDef> => (await resolve(command.args)) ?? {};

/** What is missing and what it is, instead of the whole help. */
export function explain(message: string, path: readonly string[], args: ArgsDef): string {
  const typed = ['lachesis', ...path].join(' ');
  const [, positional, flag] = /^Missing required (?:positional argument: (.+)|argument: --(.+))$/.exec(message) ?? [];
  const name = Object.keys(args).find((each) => each === flag || each.toUpperCase() === positional);
  if (name === undefined) return `${message} \`${typed} --help\` says what it takes.`;
  const description = args[name]?.description;
  const shown = positional === undefined ? `--${name}` : `<${name}>`;
  return `${typed} wants ${shown}${description === undefined ? '' : `: ${description}`}. \`${typed} --help\` says more.`;
}
