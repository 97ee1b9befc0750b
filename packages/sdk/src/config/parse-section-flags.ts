import { isRecord } from '@lachesis/protocol';
import { ConfigError } from './config-error.ts';

export interface SectionFlags {
  /** Nested by the dots: `{ env: { group_size: '8' } }`; numbers of a list are keys. Lists are given by repeating a flag. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** What is no flag with a dot, in its order. */
  readonly rest: readonly string[];
}

const SECTION_FLAG = /^--([a-z][\w-]*(?:\.[\w-]+)+)(?:=(.*))?$/s;

/**
 * Takes `--env.group_size 8`, `--env.group-size=8`, `--openai.0.base_url …`, `--env.use_wandb` (a switch) and
 * `--no-env.use_wandb` out of the arguments. A flag given twice is a list.
 */
export function parseSectionFlags(argv: readonly string[]): SectionFlags {
  const flags: Record<string, unknown> = {};
  const rest: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    const isNegated = argument.startsWith('--no-');
    const match = SECTION_FLAG.exec(isNegated ? `--${argument.slice(5)}` : argument);
    if (match === null) {
      rest.push(argument);
      continue;
    }
    const [, name = '', attached] = match;
    const next = argv[index + 1];
    let value = attached;
    if (isNegated) value = 'false';
    // A value may begin with one dash, as -1 does; two dashes begin the next flag.
    else if (value === undefined && next !== undefined && !next.startsWith('--')) {
      value = next;
      index += 1;
    }
    setFlag(flags, name, value ?? 'true');
  }
  return { flags, rest };
}

function setFlag(flags: Record<string, unknown>, name: string, value: string): void {
  const keys = name.split('.').map((key) => key.replaceAll('-', '_'));
  const last = keys.pop() ?? '';
  let place = flags;
  for (const key of keys) {
    if (!Object.hasOwn(place, key)) place[key] = {};
    const inner = place[key];
    if (!isRecord(inner)) throw clash(name);
    place = inner;
  }
  const before = Object.hasOwn(place, last) ? place[last] : undefined;
  if (isRecord(before)) throw clash(name);
  if (before === undefined) place[last] = value;
  else place[last] = [...(Array.isArray(before) ? (before as unknown[]) : [before]), value];
}

const clash = (name: string): ConfigError =>
  new ConfigError({
    kind: 'bad-flag',
    path: name,
    reason: `--${name} is given both as one value and as a section.`,
    hint: 'Give one of the two.',
  });
