import {
  isRecord,
  environmentSectionSchema,
  recipeSchema,
  trainingConfigSchema,
  type Recipe,
} from '@lachesis/protocol';
import { ConfigError, parseSectionFlags, placeCodeFiles, readYamlFile, resolveConfig } from '@lachesis/sdk/config';
import { dirname } from 'node:path';
import { fail } from '../terminal/fail.ts';
import { findNearest } from './find-nearest.ts';
import { placeInFile } from './place-in-file.ts';

type ConfigOrigin = ReturnType<typeof resolveConfig>['origins'][string];

export interface ReadRecipe {
  recipe: Recipe;
  /** The section env for the environment's own file: what was given, and nothing that is only our default. */
  environmentFile: Record<string, unknown>;
  /** Flags that are the environment's to read, as they were given. */
  environmentFlags: string[];
  /** What is no flag of a section. */
  rest: readonly string[];
}

/** The sections and words of a recipe that are not the trainer's. */
const OTHERS = ['environment', 'environments', 'openai', 'editable', 'slurm', 'testing'] as const;

/** Reads a recipe: flags go before the file, the file before variables, variables before defaults. */
export async function readRecipe(options: {
  config: string | undefined;
  rawArgs: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}): Promise<ReadRecipe> {
  try {
    const { flags, rest } = parseSectionFlags(options.rawArgs);
    const unknown = Object.keys(flags).find((section) => !['env', 'openai', 'tinker'].includes(section));
    if (unknown !== undefined) fail(`there is no section ${unknown}; a recipe has env, openai and tinker.`);
    const file = options.config === undefined ? {} : await readSections(options.config);
    const known = Object.keys(environmentSectionSchema.shape);
    const sharedFile = pick(file['env'], known);
    const resolved = resolveConfig({
      schema: trainingConfigSchema,
      otherSections: OTHERS,
      env: options.env,
      yaml: { ...file, env: sharedFile },
      flags: { env: pick(flags['env'], known), ...(flags['tinker'] === undefined ? {} : { tinker: flags['tinker'] }) },
    });
    const { env, tinker } = resolved.values;
    const parsed = recipeSchema.safeParse({
      ...(file['environment'] === undefined ? {} : { environment: file['environment'] }),
      ...(file['environments'] === undefined ? {} : { environments: file['environments'] }),
      ...(file['openai'] === undefined ? {} : { openai: file['openai'] }),
      env: { ...toRecord(file['env']), ...env },
      // What a file names is placed already; flags and variables are read from here.
      ...placeCodeFiles({ tinker }, process.cwd()),
      slurm: file['slurm'],
      testing: file['testing'],
    });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const sentence = `the recipe cannot be read: ${describeIssue(issue)}`;
      return fail(placeInFile(sentence, issue?.path.map(String).join('.'), options.config));
    }
    const environmentFlags = options.rawArgs.filter((_argument, index) => isEnvironmentPart(options.rawArgs, index));
    return {
      recipe: parsed.data,
      environmentFile: {
        ...toEnvironmentFile(file, env, resolved.origins),
        ...ownFlags(toRecord(flags['env']), known),
      },
      environmentFlags,
      rest,
    };
  } catch (error) {
    if (ConfigError.isInstance(error)) return fail(placeInFile(error.message, error.path, options.config));
    throw error;
  }
}

/** Defaults of the environment come before ours; how much makes a step and a run, both must see alike. */
function toEnvironmentFile(
  file: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, unknown>>,
  origins: Readonly<Record<string, ConfigOrigin>>,
): Record<string, unknown> {
  const given = Object.entries(env).filter(
    ([key, value]) =>
      value !== undefined && (key === 'batch_size' || key === 'total_steps' || origins[`env.${key}`] !== 'default'),
  );
  return { ...toRecord(file['env']), ...Object.fromEntries(given) };
}

/** Flags that only the environment knows, as a file would say them: what a run was started with is then in its file. */
const ownFlags = (given: Readonly<Record<string, unknown>>, known: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (known.includes(key) ? [] : [[key, toValue(value)]])),
  );

function toValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toValue);
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toValue(inner)]));
  if (value === 'true' || value === 'false') return value === 'true';
  return typeof value === 'string' && /^-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value) ? Number(value) : value;
}

const SECTIONS = new Set<string>([...OTHERS, 'env', 'tinker']);

async function readSections(path: string): Promise<Record<string, unknown>> {
  const file = toRecord(placeCodeFiles(await readYamlFile(path), dirname(path)));
  const unknown = Object.keys(file).find((key) => !SECTIONS.has(key));
  if (unknown !== undefined) {
    const nearest = findNearest(unknown, [...SECTIONS]);
    fail(
      placeInFile(
        `a recipe has no section ${unknown}. Did you mean ${nearest}? There are ${[...SECTIONS].join(', ')}.`,
        unknown,
        path,
      ),
    );
  }
  return file;
}

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

const pick = (value: unknown, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(toRecord(value)).filter(([key]) => keys.includes(key)));

/** Whether an argument is a flag of env or openai, or the value behind one. */
function isEnvironmentPart(rawArgs: readonly string[], index: number): boolean {
  const isFlag = (argument: string | undefined): boolean => /^--(?:no-)?(?:env|openai)\./.test(argument ?? '');
  const argument = rawArgs[index] ?? '';
  if (isFlag(argument)) return true;
  const before = rawArgs[index - 1];
  return (
    !argument.startsWith('--') && isFlag(before) && !(before ?? '').includes('=') && !(before ?? '').startsWith('--no-')
  );
}

function describeIssue(issue: { path: readonly PropertyKey[]; message: string } | undefined): string {
  return issue === undefined
    ? 'it does not fit'
    : `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`;
}
