import {
  isRecord,
  environmentSectionSchema,
  recipeSchema,
  trainingConfigSchema,
  type Recipe,
} from '@lachesis/protocol';
import { ConfigError, parseSectionFlags, readYamlFile, resolveConfig } from '@lachesis/sdk/config';
import { fail } from '../terminal/fail.ts';

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
const OTHERS = ['environment', 'openai', 'editable', 'slurm', 'testing'] as const;

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
    const file = options.config === undefined ? {} : toSections(await readYamlFile(options.config));
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
      ...(file['openai'] === undefined ? {} : { openai: file['openai'] }),
      env: { ...toRecord(file['env']), ...env },
      tinker,
      slurm: file['slurm'],
      testing: file['testing'],
    });
    if (!parsed.success) return fail(`the recipe cannot be read: ${describeIssue(parsed.error.issues[0])}`);
    const environmentFlags = options.rawArgs.filter((_argument, index) => isEnvironmentPart(options.rawArgs, index));
    return {
      recipe: parsed.data,
      environmentFile: toEnvironmentFile(file, env, resolved.origins),
      environmentFlags,
      rest,
    };
  } catch (error) {
    if (ConfigError.isInstance(error)) return fail(error.message);
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

const SECTIONS = new Set<string>([...OTHERS, 'env', 'tinker']);

function toSections(yaml: unknown): Record<string, unknown> {
  const file = toRecord(yaml);
  const unknown = Object.keys(file).find((key) => !SECTIONS.has(key));
  if (unknown !== undefined) fail(`the recipe has a section ${unknown}; known are ${[...SECTIONS].join(', ')}.`);
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
