import { COMMAND_GROUPS } from './command-groups.ts';
import { COMMANDS, VERSION, type CommandEntry } from './command-table.ts';
import { findNearest } from './flags/find-nearest.ts';
import { createPaint } from './terminal/paint.ts';
import { renderColumns } from './terminal/render-columns.ts';
import { wrapText } from './terminal/text-width.ts';

export interface Help {
  text: string;
  /** Why it is shown instead of something being done; undefined when somebody asked for it. */
  refusal: string | undefined;
}

export interface FindHelpOptions {
  /** What stands behind `lachesis`. */
  words: readonly string[];
  isColoured: boolean;
  /** How wide the terminal is; 80 where there is none. */
  columns?: number;
}

const HELP = ['--help', '-h'];

/** `lachesis help train sft` is `lachesis train sft --help`. */
export function readHelpWord(words: readonly string[]): readonly string[] {
  return words[0] === 'help' ? [...words.slice(1).filter((word) => !HELP.includes(word)), '--help'] : words;
}

/**
 * The help of a group of commands, out of the table: nothing else has to be loaded for it. Undefined for everything
 * that the command itself has to answer.
 */
export function findHelp({ words, isColoured, columns = 80 }: FindHelpOptions): Help | undefined {
  let entry: CommandEntry = COMMANDS;
  const path = ['lachesis'];
  const asked = words.some((word) => HELP.includes(word));
  for (const word of words) {
    if (entry.commands === undefined) return undefined;
    if (word.startsWith('-')) break;
    const next: CommandEntry | undefined = Object.hasOwn(entry.commands, word) ? entry.commands[word] : undefined;
    if (next === undefined) {
      return { text: '', refusal: refuseWord(word, path, Object.keys(entry.commands)) };
    }
    entry = next;
    path.push(word);
  }
  if (entry.commands === undefined || entry.isRunAlone === true) return undefined;
  const rest = words.slice(path.length - 1);
  const text = renderHelp({ entry, path, isColoured, columns });
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

/** Words that people know from other tools, and what they are here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  login: 'config set TINKER_API_KEY',
  start: 'up',
  ui: 'up',
  run: 'runs start',
  ps: 'runs list',
  status: 'runs list',
  eval: 'env evaluate',
  evaluate: 'env evaluate',
  dataset: 'data sets list',
  datasets: 'data sets list',
  finetune: 'train sft',
  sft: 'train sft',
  dpo: 'train dpo',
  export: 'data export',
  import: 'data import',
  version: '--version',
  install: 'doctor',
  gateway: 'up',
  traces: 'trajectories list',
  stats: 'trajectories stats',
};

/** Further apart than this, two words are not the same one mistyped. */
const MOST_CHANGED = 3;

function refuseWord(word: string, path: readonly string[], known: readonly string[]): string {
  const typed = path.join(' ');
  const other = path.length === 1 && Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  const nearest = other ?? findNearest(word, known, Math.min(MOST_CHANGED, Math.ceil(word.length / 2)));
  const advice =
    nearest === undefined ? `\`${typed} --help\` lists what there is.` : `Did you mean ${typed} ${nearest}?`;
  return `there is no command ${typed} ${word}. ${advice}`;
}

interface RenderHelpOptions {
  entry: CommandEntry;
  path: readonly string[];
  isColoured: boolean;
  columns: number;
}

function renderHelp({ entry, path, isColoured, columns }: RenderHelpOptions): string {
  const { description, commands = {} } = entry;
  const paint = createPaint(isColoured);
  const typed = path.join(' ');
  const isTop = path.length === 1;
  const groups = isTop ? COMMAND_GROUPS : { Commands: Object.keys(commands) };
  const head = `${typed}${isTop ? ` ${VERSION}` : ''}`;
  const list = ([title, names]: [string, readonly string[]]): string[] => [
    paint.bold(title),
    ...renderColumns({
      rows: names.map((name) => [name.padEnd(isTop ? 12 : 0), commands[name]?.description ?? '']),
      ...{ columns, paintName: paint.cyan },
    }),
    '',
  ];
  return [
    ...wrapText(`${head}: ${description}`, columns).map((line, index) =>
      index === 0 ? line.replace(typed, paint.bold(typed)) : line,
    ),
    '',
    `  ${typed} <command> [options]`,
    ...(isTop ? [`  ${typed} demo  ${paint.dim('# start here')}`] : []),
    '',
    ...Object.entries(groups).flatMap(list),
    `\`${typed} <command> --help\` says more about one of them.`,
    '',
  ].join('\n');
}
