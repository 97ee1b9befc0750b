import { z } from 'zod';

/**
 * What the value of a setting can do: a plain value; a file or folder that is read or written; an address that is asked; code
 * that is run. Through the API the last three can be set only where a recipe says so.
 */
export const FIELD_KINDS = Object.freeze(['value', 'path', 'url', 'code'] as const);

/** What the value of a setting can do: nothing, reach a file, reach an address, or run code. */
export const fieldKindSchema = z.enum(FIELD_KINDS);
export type FieldKind = z.infer<typeof fieldKindSchema>;

/** A field of a configuration, as far as its kind depends on it. */
export interface JudgedField {
  readonly name: string;
  readonly type: string;
  /** As the environment declares it. */
  readonly kind?: FieldKind | undefined;
  /** Its value when nobody sets it. */
  readonly default?: unknown;
}

/** Words in the name of a field that nobody declared, and what such a field is taken for; the first that fits. */
const WORDS: readonly (readonly [FieldKind, { anywhere: ReadonlySet<string>; last: ReadonlySet<string> }])[] = [
  [
    'code',
    {
      anywhere: new Set([
        'code',
        'command',
        'cmd',
        'exec',
        'executable',
        'entrypoint',
        'import',
        'module',
        'plugin',
        'script',
      ]),
      last: new Set([
        ...[
          'callback',
          'fn',
          'function',
          'grader',
          'hook',
          'interpreter',
          'lambda',
          'loader',
          'program',
          'python',
          'reward',
        ],
        ...['scorer', 'shell', 'verifier'],
      ]),
    },
  ],
  [
    'url',
    {
      anywhere: new Set(['endpoint', 'uri', 'url', 'urls', 'webhook']),
      last: new Set(['address', 'api', 'host', 'hostname', 'hosts', 'link', 'proxy', 'server', 'servers']),
    },
  ],
  [
    'path',
    {
      anywhere: new Set(['dir', 'directory', 'file', 'filename', 'files', 'folder', 'path', 'paths']),
      last: new Set([
        ...[
          'archive',
          'cache',
          'cert',
          'checkpoint',
          'corpus',
          'data',
          'dataset',
          'datasets',
          'destination',
          'dirs',
          'home',
        ],
        ...['location', 'log', 'logs', 'output', 'root', 'source', 'sources', 'src', 'store', 'workspace'],
      ]),
    },
  ],
];

/** Numbers and choices of a list reach no file, no server and no code. */
const HARMLESS_TYPES = /^(?:integer|number|int|float|enum|literal)$/;

/** A whole value that is an address, a path from the root or the home, or one that climbs. */
const POINTS_SOMEWHERE =
  /^\s*(?:[a-z][a-z0-9+.-]*:\/\/\S|[\\/]{1,2}\S|~[\w-]*[\\/]|[a-z]:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/i;

/** What a field is: as declared, else by its name, else by what is in it. What nobody declared is taken for the stricter. */
export function judgeFieldKind(field: JudgedField, value?: unknown): FieldKind {
  if (field.kind !== undefined) return field.kind;
  // `trust_remote_code` is a yes or no that runs code.
  const isFlag = /^bool(?:ean)?$/.test(field.type);
  if (HARMLESS_TYPES.test(field.type) || isChoice(field.type)) return 'value';
  const words = toWords(field.name);
  const named = WORDS.find(
    ([, { anywhere, last }]) => words.some((word) => anywhere.has(word)) || last.has(words.at(-1) ?? ''),
  )?.[0];
  if (isFlag) return named === 'code' ? 'code' : 'value';
  if (named !== undefined) return named;
  return [field.default, value].some(holdsPlace) ? 'path' : 'value';
}

const isChoice = (type: string): boolean => type.includes('|') && !/string|str\b|any|unknown/i.test(type);

/** `evalDatasetPath`, `eval_dataset_path` and `EVAL-DATASET.PATH` are the same words. */
const toWords = (name: string): string[] =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''));

/** Deeper than a setting may be nested, nothing is there. */
const DEEPEST = 40;

function holdsPlace(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return POINTS_SOMEWHERE.test(value) && !/\n/.test(value.trim());
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return false;
  return Object.values(value).some((each) => holdsPlace(each, depth + 1));
}
