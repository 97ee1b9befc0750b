import { styleText } from 'node:util';
import { COMMANDS, VERSION, type CommandEntry } from './command-table.ts';
import { findNearest } from './flags/find-nearest.ts';

export interface Help {
  text: string;
  /** Why it is shown instead of something being done; undefined when somebody asked for it. */
  refusal: string | undefined;
}

export interface FindHelpOptions {
  /** What stands behind `lachesis`. */
  words: readonly string[];
  isColoured: boolean;
}

const HELP = ['--help', '-h'];

/**
 * The help of a group of commands, out of the table: nothing else has to be loaded for it. Undefined for everything
 * that the command itself has to answer.
 */
export function findHelp({ words, isColoured }: FindHelpOptions): Help | undefined {
  let entry: CommandEntry = COMMANDS;
  const path = ['lachesis'];
  const asked = words.some((word) => HELP.includes(word));
  for (const word of words) {
    if (entry.commands === undefined) return undefined;
    if (word.startsWith('-')) break;
    const next: CommandEntry | undefined = Object.hasOwn(entry.commands, word) ? entry.commands[word] : undefined;
    if (next === undefined) {
      const nearest = findNearest(word, Object.keys(entry.commands)) ?? '--help';
      const refusal = `there is no command ${[...path, word].join(' ')}. Did you mean ${[...path, nearest].join(' ')}?`;
      return { text: '', refusal };
    }
    entry = next;
    path.push(word);
  }
  if (entry.commands === undefined || entry.isRunAlone === true) return undefined;
  const rest = words.slice(path.length - 1);
  const text = renderHelp(entry, path, isColoured);
  if (asked) return { text, refusal: undefined };
  if (rest.length === 0) return { text, refusal: `say which command: ${path.join(' ')} <command>.` };
  if (path.length === 1 && rest.length === 1 && (rest[0] === '--version' || rest[0] === '-v')) {
    return { text: `${VERSION}\n`, refusal: undefined };
  }
  return {
    text: '',
    refusal: `there is no option ${rest[0]} before a command. \`${path.join(' ')} --help\` lists them.`,
  };
}

function renderHelp(
  { description, commands = {} }: CommandEntry,
  path: readonly string[],
  isColoured: boolean,
): string {
  const paint = (style: 'bold' | 'cyan' | 'dim', text: string): string =>
    isColoured ? styleText(style, text, { validateStream: false }) : text;
  const names = Object.keys(commands);
  const width = Math.max(...names.map(({ length }) => length));
  const version = path.length === 1 ? ` ${paint('dim', VERSION)}` : '';
  return [
    `${paint('bold', path.join(' '))}${version}: ${description}`,
    '',
    `  ${path.join(' ')} <command> [options]`,
    '',
    ...Object.entries(commands).map(
      ([name, each]) => `  ${paint('cyan', name)}${' '.repeat(width - name.length)}  ${each.description}`,
    ),
    '',
    `\`${path.join(' ')} <command> --help\` says more about one of them.`,
    '',
  ].join('\n');
}
