import { isRecord } from '@lachesis/protocol';
import { parse } from 'yaml';

export interface SplitChoice {
  /** Every file of the repository. */
  readonly files: readonly string[];
  /** The content of README.md, which may say which files are which split. */
  readonly card: string | undefined;
  /** A part of the repository, such as `main` of GSM8K. */
  readonly config: string | undefined;
  readonly split: string;
}

/** The files of a split, in their order; or what there is instead. */
export type SplitFiles = { readonly files: readonly string[] } | { readonly refusal: string };

/** What can be read: Parquet and lines of JSON. */
const READABLE = /\.(?:parquet|jsonl|ndjson)$/i;

/** Words that files of a split begin with, as the hub's own reader takes them. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  train: ['train', 'training'],
  validation: ['validation', 'valid', 'dev', 'val'],
  test: ['test', 'testing', 'eval', 'evaluation'],
};

/** Which files of a repository are a split: as its card says, else by their names. */
export function chooseSplitFiles({ files, card, config, split }: SplitChoice): SplitFiles {
  const readable = files.filter((file) => READABLE.test(file)).toSorted();
  if (readable.length === 0) return { refusal: 'it has no file of Parquet or of lines of JSON' };
  const configs = readConfigs(card);
  if (configs.length > 0) return chooseByCard(readable, configs, config, split);
  const below = config === undefined ? readable : readable.filter((file) => file.startsWith(`${config}/`));
  if (below.length === 0) return { refusal: `it has no folder ${JSON.stringify(config)}` };
  const folders = new Set(below.map((file) => file.split('/').slice(0, -1).join('/')));
  const own = below.filter((file) => isOfSplit(file, split));
  if (own.length > 0) {
    const places = new Set(own.map((file) => file.split('/').slice(0, -1).join('/')));
    return config === undefined && places.size > 1
      ? { refusal: `it has several parts: ${[...places].join(', ')}; name one` }
      : { files: own };
  }
  const isUnsplit = !below.some((file) => Object.keys(WORDS).some((word) => isOfSplit(file, word)));
  if (split === 'train' && isUnsplit && folders.size === 1) return { files: below };
  return { refusal: `it has no split ${JSON.stringify(split)} among ${below.slice(0, 10).join(', ')}` };
}

function isOfSplit(file: string, split: string): boolean {
  const words = WORDS[split] ?? [split];
  const parts = file.toLowerCase().split('/');
  return words.some(
    (word) =>
      parts.slice(0, -1).includes(word) || new RegExp(`^${RegExp.escape(word)}(?:[-_.\\d]|$)`).test(parts.at(-1)!),
  );
}

interface CardConfig {
  readonly name: string;
  readonly isDefault: boolean;
  readonly splits: ReadonlyMap<string, readonly string[]>;
}

function chooseByCard(
  files: readonly string[],
  configs: readonly CardConfig[],
  wanted: string | undefined,
  split: string,
): SplitFiles {
  const names = configs.map(({ name }) => name);
  const chosen =
    wanted === undefined
      ? (configs.find(({ isDefault, name }) => isDefault || name === 'default') ??
        (configs.length === 1 ? configs[0] : undefined))
      : configs.find(({ name }) => name === wanted);
  if (chosen === undefined) {
    return {
      refusal: `${wanted === undefined ? 'it has several parts' : `it has no part ${JSON.stringify(wanted)}`}: ${names.join(', ')}`,
    };
  }
  const patterns = chosen.splits.get(split);
  if (patterns === undefined) {
    return {
      refusal: `it has no split ${JSON.stringify(split)}; its splits are ${[...chosen.splits.keys()].join(', ')}`,
    };
  }
  const own = files.filter((file) => patterns.some((pattern) => toPattern(pattern).test(file)));
  return own.length === 0 ? { refusal: `it has no file that is ${patterns.join(' or ')}` } : { files: own };
}

/** The list `configs` at the head of a card. A card that cannot be read says nothing. */
function readConfigs(card: string | undefined): CardConfig[] {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card ?? '')?.[1];
  if (head === undefined) return [];
  let parsed: unknown;
  try {
    parsed = parse(head);
  } catch {
    // Written by hand, by others: the names of the files say it too.
    return [];
  }
  const listed = isRecord(parsed) && Array.isArray(parsed['configs']) ? (parsed['configs'] as unknown[]) : [];
  return listed.filter(isRecord).map((config) => ({
    name: String(config['config_name']),
    isDefault: config['default'] === true,
    splits: readSplits(config['data_files']),
  }));
}

function readSplits(value: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof value === 'string') return new Map([['train', [value]]]);
  const entries = (Array.isArray(value) ? (value as unknown[]) : []).filter(isRecord).map(({ split, path }) => {
    const paths = (Array.isArray(path) ? (path as unknown[]) : [path]).map(String);
    return [String(split), paths] as const;
  });
  return new Map(entries);
}

function toPattern(glob: string): RegExp {
  const parts = glob.replace(/^\.\//, '').split(/(\*\*\/|\*\*|\*|\?)/);
  const source = parts.map((part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    return part === '*' ? '[^/]*' : part === '?' ? '[^/]' : RegExp.escape(part);
  });
  return new RegExp(`^${source.join('')}$`);
}
