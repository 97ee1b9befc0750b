import type { z } from 'zod';
import { isRecord } from '@lachesis/protocol';
import { ConfigError } from './config-error.ts';
import { flattenValues, type FlatValues } from './flatten-values.ts';
import { parseTextValue } from './parse-text-value.ts';
import { readElement, readFields, readShape } from './schema-shape.ts';

/** Where the value of a field came from, the strongest first. */
export const CONFIG_ORIGINS = Object.freeze(['flag', 'yaml', 'environment', 'default'] as const);
export type ConfigOrigin = (typeof CONFIG_ORIGINS)[number];

export interface ResolveConfigOptions<Schema extends z.ZodObject> {
  /** One field per section. */
  readonly schema: Schema;
  /** Sections of the file that another program reads; they are passed over here. */
  readonly otherSections?: readonly string[] | undefined;
  /** Go before the defaults of the schema and behind everything else. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined;
  /** The environment variables: `LACHESIS_ENV_GROUP_SIZE` is `env.group_size`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Further names of variables by path, tried in their order. */
  readonly variables?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The content of the file. */
  readonly yaml?: unknown;
  /** What `parseSectionFlags` gave. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined;
}

export interface ResolvedConfig<Values> {
  readonly values: Values;
  /** Where the value at each path came from. */
  readonly origins: Readonly<Record<string, ConfigOrigin>>;
  /** Paths that are not to be printed. */
  readonly secrets: ReadonlySet<string>;
}

const SOURCES: Record<ConfigOrigin, string> = {
  flag: 'the command line',
  yaml: 'the file',
  environment: 'an environment variable',
  default: 'the default',
};

/** Flags go before the file, the file before variables, variables before defaults; field by field. */
export function resolveConfig<Schema extends z.ZodObject>(
  options: ResolveConfigOptions<Schema>,
): ResolvedConfig<z.infer<Schema>> {
  const { schema, defaults = {}, env = {}, variables = {}, flags = {} } = options;
  const yaml = dropOtherSections(options.yaml, options.otherSections ?? []);
  const layers: [ConfigOrigin, FlatValues][] = [
    ['default', flattenValues({ schema, value: defaults, source: 'the environment’s own default' })],
    ['yaml', flattenValues({ schema, value: yaml, source: SOURCES.yaml })],
    ['flag', readTexts(schema, flattenValues({ schema, value: flags, source: SOURCES.flag }))],
  ];
  refuseUnnamedServer(flags, schema, layers);
  const paths = listPaths(schema, countElements(layers));
  layers.splice(1, 0, ['environment', readVariables(paths, env, variables)]);

  const given = new Map<string, { origin: ConfigOrigin; value: unknown }>();
  for (const [origin, values] of layers) {
    for (const [path, value] of values) if (value !== undefined) given.set(path, { origin, value });
  }
  const nested: Record<string, unknown> = {};
  for (const [path, { value }] of given) setPath(nested, path, value);
  const parsed = schema.safeParse(toLists(schema, nested));
  if (!parsed.success) throw explain(parsed.error.issues[0], given);

  const origins: Record<string, ConfigOrigin> = {};
  const secrets = new Set<string>();
  for (const { path, field } of listPaths(schema, countElements(layers))) {
    origins[path] = given.get(path)?.origin ?? 'default';
    if (readShape(field).isSecret) secrets.add(path);
  }
  return { values: parsed.data, origins, secrets };
}

function dropOtherSections(yaml: unknown, others: readonly string[]): unknown {
  if (yaml === undefined || yaml === null) return {};
  if (!isRecord(yaml)) {
    throw new ConfigError({ kind: 'bad-file', reason: 'The file holds no sections.', hint: 'Begin it with `env:`.' });
  }
  return Object.fromEntries(Object.entries(yaml).filter(([section]) => !others.includes(section)));
}

/** Which server would `--openai.base_url` mean when there are several? */
function refuseUnnamedServer(
  flags: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  layers: readonly [ConfigOrigin, FlatValues][],
): void {
  const counts = countElements(layers);
  for (const [section, value] of Object.entries(flags)) {
    const field = schema.shape[section] as z.ZodType | undefined;
    const isList = field !== undefined && readElement(field) !== undefined;
    if (!isList || !isRecord(value) || (counts.get(section) ?? 0) < 2) continue;
    const name = Object.keys(value).find((key) => !/^\d+$/.test(key));
    if (name === undefined) continue;
    throw new ConfigError({
      kind: 'bad-flag',
      path: `${section}.${name}`,
      reason: `--${section}.${name} does not say which of the ${counts.get(section)} entries of ${section} it is for.`,
      hint: `Give its number: --${section}.0.${name}.`,
    });
  }
}

interface PathField {
  readonly path: string;
  readonly field: z.ZodType;
}

/** How many entries each list of objects has, from what was given. */
function countElements(layers: readonly [ConfigOrigin, FlatValues][]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, values] of layers) {
    for (const path of values.keys()) {
      const match = /^(.+?)\.(\d+)\./.exec(path);
      if (match === null) continue;
      const [, list = '', index = '0'] = match;
      counts.set(list, Math.max(counts.get(list) ?? 0, Number(index) + 1));
    }
  }
  return counts;
}

function listPaths(schema: z.ZodType, counts: ReadonlyMap<string, number>, path = ''): PathField[] {
  const fields = readFields(schema);
  if (fields !== undefined) {
    return Object.entries(fields).flatMap(([name, field]) =>
      listPaths(field, counts, path === '' ? name : `${path}.${name}`),
    );
  }
  const element = readElement(schema);
  if (element !== undefined && readFields(element) !== undefined) {
    const count = counts.get(path) ?? 1;
    return Array.from({ length: count }, (_, index) => listPaths(element, counts, `${path}.${index}`)).flat();
  }
  return [{ path, field: schema }];
}

function readVariables(
  paths: readonly PathField[],
  env: Readonly<Record<string, string | undefined>>,
  variables: Readonly<Record<string, readonly string[]>>,
): FlatValues {
  const found: FlatValues = new Map();
  for (const { path, field } of paths) {
    const names = [variableName(path), ...(variables[path] ?? [])];
    const text = names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
    if (text !== undefined) found.set(path, parseTextValue(field, text));
  }
  return found;
}

/** `env.group_size` is `LACHESIS_ENV_GROUP_SIZE`; the first entry of a list has no number. */
export const variableName = (path: string): string =>
  `LACHESIS_${path.replaceAll('.0.', '.').replaceAll('.', '_').toUpperCase()}`;

function readTexts(schema: z.ZodObject, values: FlatValues): FlatValues {
  const read: FlatValues = new Map();
  for (const [path, value] of values) {
    const field = findField(schema, path);
    if (typeof value === 'string') read.set(path, parseTextValue(field, value));
    else if (Array.isArray(value)) read.set(path, readRepeated(field, value));
    else read.set(path, value);
  }
  return read;
}

/** A flag given twice is a list where the field is one; elsewhere the last one counts, as everywhere on command lines. */
function readRepeated(field: z.ZodType, values: readonly unknown[]): unknown {
  const element = readElement(field);
  if (element === undefined) return parseTextValue(field, String(values.at(-1)));
  return values.map((value) => parseTextValue(element, String(value)));
}

function findField(schema: z.ZodType, path: string): z.ZodType {
  let field = schema;
  for (const key of path.split('.')) field = readFields(field)?.[key] ?? readElement(field) ?? field;
  return field;
}

function setPath(target: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let place = target;
  for (const key of keys) {
    if (!isRecord(place[key])) place[key] = {};
    place = place[key] as Record<string, unknown>;
  }
  place[last] = value;
}

/** Sections and list entries that nobody gave still get their defaults. */
function toLists(schema: z.ZodType, value: unknown): unknown {
  const fields = readFields(schema);
  if (fields !== undefined) {
    const record = isRecord(value) ? value : {};
    const entries = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
      const needsSection = readFields(field) !== undefined && !readShape(field).isOptional;
      const isGiven = Object.hasOwn(record, name);
      return isGiven || needsSection
        ? [[name, isGiven && record[name] === null ? null : toLists(field, record[name])]]
        : [];
    });
    return Object.fromEntries(entries);
  }
  const element = readElement(schema);
  if (element === undefined || readFields(element) === undefined || !isRecord(value)) return value;
  const count = Math.max(0, ...Object.keys(value).map((key) => Number(key) + 1));
  return Array.from({ length: count }, (_, index) => toLists(element, value[index] ?? {}));
}

function explain(
  issue: z.core.$ZodIssue | undefined,
  given: ReadonlyMap<string, { origin: ConfigOrigin; value: unknown }>,
): ConfigError {
  const path = issue?.path.map(String).join('.') ?? '';
  const source = given.get(path);
  const where = source === undefined ? '' : `, which ${SOURCES[source.origin]} gives,`;
  return new ConfigError({
    kind: 'bad-value',
    path,
    reason: `The setting ${path}${where} cannot be used: ${issue?.message ?? 'it does not fit'}.`,
    ...(source === undefined || typeof source.value === 'object'
      ? {}
      : { hint: `Given was ${JSON.stringify(source.value).slice(0, 80)}.` }),
  });
}
