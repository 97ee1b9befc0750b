import { listEntries, listPackages } from './packages.ts';
import { readCommands } from './read-commands.ts';
import { readExports } from './read-exports.ts';
import { hasRepositoryFile, readRepositoryFile } from './source-files.ts';

/** Everything that people outside this repository can name, and that a change may therefore break for them. */
export interface Surface {
  packages: Record<
    string,
    {
      /** The export map as published, without the condition that is for this repository alone. */
      exports: Record<string, unknown>;
      bin?: Record<string, string>;
      /** The exported names behind each entry. */
      names: Record<string, string[]>;
    }
  >;
  /** Command lines with their arguments and options. */
  commands: Record<string, string[]>;
}

export const surfaceFile = 'test/architecture/surface.json';

/** The surface as the sources have it now. */
export async function readSurface(): Promise<Surface> {
  const packages: Surface['packages'] = {};
  for (const workspacePackage of listPackages()) {
    const { name, exports = {}, bin } = workspacePackage.manifest;
    const entries = listEntries(workspacePackage).filter(({ file }) => hasRepositoryFile(file));
    packages[name] = {
      exports: Object.fromEntries(Object.entries(exports).map(([subpath, target]) => [subpath, withoutSource(target)])),
      ...(bin === undefined ? {} : { bin }),
      names: Object.fromEntries(
        entries.map(({ subpath, file }) => [subpath, readExports(file, readRepositoryFile(file))]),
      ),
    };
  }
  return { packages, commands: await readCommands() };
}

function withoutSource(target: string | Record<string, string>): string | Record<string, string> {
  if (typeof target === 'string') return target;
  return Object.fromEntries(Object.entries(target).filter(([condition]) => condition !== 'lachesis-source'));
}

export interface SurfaceChange {
  /** Names that users may rely on and that are gone. */
  gone: string[];
  added: string[];
}

/** What changed between two surfaces, one line per name, entry or option. */
export function compareSurfaces(pinned: Surface, current: Surface): SurfaceChange {
  const before = new Set(flattenSurface(pinned));
  const after = new Set(flattenSurface(current));
  return {
    gone: [...before].filter((line) => !after.has(line)),
    added: [...after].filter((line) => !before.has(line)),
  };
}

function flattenSurface({ packages, commands }: Surface): string[] {
  return [
    ...Object.entries(packages).flatMap(([name, { exports, bin = {}, names }]) => [
      `package ${name}`,
      ...Object.entries(exports).map(([subpath, target]) => `${name} entry ${subpath} → ${JSON.stringify(target)}`),
      ...Object.entries(bin).map(([command, target]) => `${name} bin ${command} → ${target}`),
      ...Object.entries(names).flatMap(([subpath, list]) => list.map((entry) => `${name} (${subpath}) ${entry}`)),
    ]),
    ...Object.entries(commands).flatMap(([command, options]) => [
      command,
      ...options.map((option) => `${command} ${option}`),
    ]),
  ];
}
