import { resolve } from 'node:path';
import { importOwnFile } from '../../config/import-own-file.ts';
import type { EnvironmentDefinition } from '../definition.ts';
import { readDefinition } from '../environment.ts';
import { EnvironmentError } from '../environment-error.ts';
import { type DiscoverOptions, discoverEnvironments, scanFile } from './discover-environments.ts';
import type { DiscoveredEnvironment } from './discovered-environment.ts';
import { resolveAlias } from './environment-aliases.ts';
import { nodeSourceFiles } from './find-source-files.ts';

export interface LoadOptions extends DiscoverOptions {
  /** Imports a file by its path. */
  readonly importModule?: (file: string) => Promise<Record<string, unknown>>;
}

export interface LoadedEnvironment {
  readonly definition: EnvironmentDefinition;
  readonly found: DiscoveredEnvironment;
}

/**
 * Finds an environment by its name, or by `file.ts` or `file.ts#name`, and imports that one file: here its code runs.
 * Python environments are found too, but run in Python; asking for one is refused with the command that starts it.
 */
export async function loadEnvironment(nameOrFile: string, options: LoadOptions = {}): Promise<LoadedEnvironment> {
  const found = await findEnvironment(nameOrFile, options);
  if (found.language === 'python') throw refusePython(found);
  const { importModule = importOwnFile } = options;
  let module: Record<string, unknown>;
  try {
    module = await importModule(found.file_path);
  } catch (cause) {
    throw new EnvironmentError({
      kind: 'bad-definition',
      reason: `${found.file_path} cannot be imported: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'Run it with node to see where.',
      cause,
    });
  }
  // By its name, because the name in the source and the name of the export need not be alike.
  const definitions = Object.values(module).flatMap((exported) => readDefinition(exported) ?? []);
  const definition = definitions.find(({ name }) => name === found.name) ?? readDefinition(module[found.class_name]);
  if (definition === undefined) throw refuseUnexported(found, definitions);
  return { definition, found };
}

/** Only reads; nothing of the environment is run. */
export async function findEnvironment(
  nameOrFile: string,
  options: DiscoverOptions = {},
): Promise<DiscoveredEnvironment> {
  return /[/\\]|\.(?:[mc]?[tj]s|py)(?:#|$)/.test(nameOrFile)
    ? findInFile(nameOrFile, options)
    : findByName(resolveAlias(nameOrFile), options);
}

async function findByName(name: string, options: DiscoverOptions): Promise<DiscoveredEnvironment> {
  const all = await discoverEnvironments(options);
  const found = all.find((environment) => environment.name === name);
  if (found !== undefined) return found;
  throw new EnvironmentError({
    kind: 'bad-path',
    reason: `There is no environment ${name}.`,
    hint:
      all.length === 0
        ? 'Put a file in ./environments, install a package with environments, or name a folder in LACHESIS_ENV_PATH.'
        : `There are ${all.map((environment) => environment.name).join(', ')}. A file is named with its path.`,
  });
}

async function findInFile(nameOrFile: string, options: DiscoverOptions): Promise<DiscoveredEnvironment> {
  const { cwd = process.cwd(), files = nodeSourceFiles } = options;
  const [file = '', name] = nameOrFile.split('#');
  const path = resolve(cwd, file);
  if (!(await files.isFile(path)))
    throw new EnvironmentError({
      kind: 'bad-path',
      reason: `${path} is not a file.`,
      hint: 'Give its path from here.',
    });
  const problems: string[] = [];
  const all = await scanFile(files, path, ({ reason }) => problems.push(reason));
  const fitting = name === undefined ? all : all.filter((found) => found.name === name || found.class_name === name);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  throw new EnvironmentError({
    kind: 'bad-definition',
    reason:
      all.length === 0
        ? `${path} has no environment${problems.length === 0 ? '' : `: ${problems.join('; ')}`}.`
        : `${path} has the environments ${all.map((found) => found.name).join(', ')}.`,
    hint:
      all.length === 0
        ? 'Export what defineEnvironment gives, or a class that extends Environment.'
        : `Say which one: ${file}#${all[0]?.name ?? ''}.`,
  });
}

const refusePython = ({ name, file_path: path }: DiscoveredEnvironment): EnvironmentError =>
  new EnvironmentError({
    kind: 'bad-definition',
    reason: `The environment ${name} is written in Python.`,
    hint: `Start it with the Python that has atroposlib: python ${path} serve`,
  });

const refuseUnexported = (
  { name, file_path: path }: DiscoveredEnvironment,
  definitions: readonly EnvironmentDefinition[],
): EnvironmentError =>
  new EnvironmentError({
    kind: 'bad-definition',
    reason: `${path} does not export the environment ${name}.`,
    hint:
      definitions.length === 0
        ? 'Write `export default` or `export const` before it.'
        : `It exports ${definitions.map((definition) => definition.name).join(', ')}: give the same name in the source.`,
  });
