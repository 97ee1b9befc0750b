import type { ArgsDef } from 'citty';
import { COMMON_OPTIONS, EXAMPLES } from './command-examples.ts';
import { createPaint } from './terminal/paint.ts';
import { renderColumns } from './terminal/render-columns.ts';
import { wrapText } from './terminal/text-width.ts';

export interface CommandHelpOptions {
  /** The words that name it, such as `data sets make`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly args: ArgsDef;
  /** Commands below it, by name. */
  readonly commands: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly isColoured: boolean;
}

/** Where a command looks, and how it prints: the same of most of them, so it stands last. */
const PLACE = new Set(['server', 'token', 'home', 'database-url', 'tenant', 'json']);

/** The fields of the filter of trajectories; they are one group wherever all of them are taken. */
const FILTER = new Set([
  ...['text', 'model', 'source', 'user', 'run', 'key', 'tool', 'tag', 'outcome', 'consent', 'split'],
  ...['min-reward', 'max-reward', 'min-rating', 'max-rating', 'min-turns', 'max-turns', 'min-tokens', 'max-tokens'],
  ...['has-error', 'has-tokens', 'has-feedback', 'is-rated', 'since', 'until'],
]);

/** The help of one command: what it does, how it is typed, two examples, and its options, the common ones first. */
export function renderCommandHelp(options: CommandHelpOptions): string {
  const { path, description, args, commands, columns, isColoured } = options;
  const paint = createPaint(isColoured);
  const typed = ['lachesis', ...path].join(' ');
  const show = (title: string, rows: readonly (readonly [string, string])[]): string[] =>
    rows.length === 0 ? [] : [paint.bold(title), ...renderColumns({ rows, columns, paintName: paint.cyan }), ''];
  const positions = Object.entries(args).filter(([, { type }]) => type === 'positional');
  const words = positions.map(([name, { required }]) => (required === false ? `[${name}]` : `<${name}>`));
  const groups = groupOptions(path.join(' '), args);
  const examples = (EXAMPLES[path.join(' ')] ?? []).map((rest) => `  ${`${typed} ${rest}`.trimEnd()}`);
  return [
    ...wrapText(`${typed}: ${description}`, columns).map((line, index) =>
      index === 0 ? line.replace(typed, paint.bold(typed)) : line,
    ),
    '',
    `  ${[typed, ...words, '[options]'].join(' ')}`,
    ...(Object.keys(commands).length === 0 ? [] : [`  ${typed} <command> [options]`]),
    '',
    ...(examples.length === 0 ? [] : [paint.bold('Examples'), ...examples, '']),
    ...show('Commands', Object.entries(commands)),
    ...show(
      'Arguments',
      positions.map(([name, arg]) => [`<${name}>`, describe(arg)]),
    ),
    ...Object.entries(groups).flatMap(([title, rows]) => show(title, rows)),
  ].join('\n');
}

type Group = 'Options' | 'Which trajectories' | 'More' | 'Where, and how it is printed';

function groupOptions(command: string, args: ArgsDef): Record<Group, [string, string][]> {
  const groups: Record<Group, [string, string][]> = {
    Options: [],
    'Which trajectories': [],
    More: [],
    'Where, and how it is printed': [],
  };
  const common = COMMON_OPTIONS[command];
  const hasFilter = 'has-feedback' in args;
  const place = (name: string): Group => {
    if (common?.includes(name) === true) return 'Options';
    if (PLACE.has(name)) return 'Where, and how it is printed';
    if (hasFilter && FILTER.has(name) && args[name]?.required !== true) return 'Which trajectories';
    return common === undefined ? 'Options' : 'More';
  };
  const ordered = [...(common ?? []).filter((name) => name in args), ...Object.keys(args)];
  for (const name of new Set(ordered)) {
    const arg = args[name];
    if (arg === undefined || arg.type === 'positional') continue;
    groups[place(name)].push([nameOption(name, arg), describe(arg)]);
  }
  return groups;
}

type Arg = ArgsDef[string];

function nameOption(name: string, arg: Arg): string {
  const short = 'alias' in arg && arg.alias !== undefined ? [arg.alias].flat().map((each) => `-${each}, `) : [];
  // A switch that is on by itself is typed to turn it off.
  const shown = arg.type === 'boolean' && arg.default === true ? `no-${name}` : name;
  return `${short.join('')}--${shown}${arg.type === 'boolean' ? '' : ` <${arg.valueHint ?? 'value'}>`}`;
}

function describe(arg: Arg): string {
  const { description = '' } = arg;
  const off = arg.type === 'boolean' && arg.default === true ? arg.negativeDescription : undefined;
  if (off !== undefined) return off;
  const hasDefault = typeof arg.default === 'string' || typeof arg.default === 'number';
  const fallback = hasDefault && !description.includes('default') ? ` (default: ${String(arg.default)})` : '';
  const need = arg.required === true && arg.type !== 'positional' ? ' (required)' : '';
  return `${description}${fallback}${need}`;
}
