import {
  EnvironmentError,
  findEnvironment,
  isExpected,
  loadEnvironment,
  readArguments,
  type EnvironmentArguments,
  type EnvironmentDefinition,
} from '@lachesis/sdk/environment';
import { useToolsFile } from '@lachesis/sdk/agent';
import { offerPackages } from '@lachesis/sdk/config';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail } from '../terminal/fail.ts';

export const environmentArgument = {
  environment: {
    type: 'positional',
    required: false,
    description: 'a name that `lachesis env list` shows, or a file; file.ts#name where a file has several',
  },
} as const;

export const environmentFlags = {
  config: { type: 'string', description: 'YAML file with the sections env and openai, or the name of a recipe' },
  tools: { type: 'string', description: 'YAML of what stands behind toolsets [LACHESIS_TOOLS]' },
  json: { type: 'boolean', description: 'print JSON lines' },
} as const;

/** Reads the arguments itself: settings have dots in their names, and their values are not positionals. */
export function readEnvironmentArguments(rawArgs: readonly string[]): EnvironmentArguments & { name: string } {
  const { names, ...given } = readSuiteArguments(rawArgs);
  const [name = '', surplus] = names;
  if (surplus !== undefined)
    return fail(`${JSON.stringify(surplus)} is one argument too many; settings look like --env.group_size 8.`);
  return { ...given, name };
}

/** The same for a command that takes several environments. */
export function readSuiteArguments(rawArgs: readonly string[]): EnvironmentArguments & { names: readonly string[] } {
  try {
    const given = readArguments(rawArgs);
    useToolsFile(given.tools);
    const { positionals: names } = given;
    if (names.length === 0) return fail('say which environment: a name that `lachesis env list` shows, or a file.');
    return { ...given, names };
  } catch (error) {
    return failWithEnvironmentError(error);
  }
}

/** The environments that come with the command are found from any folder. */
export const discoveryOptions = {
  env: process.env,
  packageFolders: [dirname(fileURLToPath(import.meta.resolve('@lachesis/environments/package.json')))],
};

/** Lets files of an author use the SDK that this command came with. */
export function offerSdk(): void {
  // zod is a dependency of the SDK, and need not be one of ours.
  offerPackages({ '@lachesis/sdk': import.meta.url, zod: import.meta.resolve('@lachesis/sdk/environment') });
}

export async function loadDefinition(name: string): Promise<EnvironmentDefinition> {
  offerSdk();
  return (await loadEnvironment(name, discoveryOptions)).definition;
}

/** The file of a Python environment; undefined for one in TypeScript. */
export async function findPythonFile(name: string): Promise<string | undefined> {
  const found = await findEnvironment(name, discoveryOptions);
  return found.language === 'python' ? found.file_path : undefined;
}

/** The file of an environment; undefined where there is none of that name. */
export async function findFileOf(name: string): Promise<string | undefined> {
  return (await findEnvironment(name, discoveryOptions).catch(() => undefined))?.file_path;
}

/** For `.catch`: one sentence for what a person can mend; a fault of ours keeps its stack. */
export function failWithEnvironmentError(error: unknown, end: (message: string) => never = fail): never {
  if (isExpected(error) || EnvironmentError.isInstance(error)) return end(error.message);
  throw error;
}
