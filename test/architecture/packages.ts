import { listRepositoryFiles, readRepositoryFile } from './source-files.ts';

export interface Manifest {
  name: string;
  private?: boolean;
  exports?: Record<string, string | Record<string, string>>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export interface WorkspacePackage {
  /** From the root of the repository, such as packages/store. */
  folder: string;
  manifest: Manifest;
}

/** The packages people install: everything under packages/ that has a manifest and is not private. */
export function listPackages(): WorkspacePackage[] {
  return listRepositoryFiles()
    .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
    .map((file) => ({
      folder: file.slice(0, -'/package.json'.length),
      manifest: JSON.parse(readRepositoryFile(file)) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** The source file behind each public entry of a package: `.` and its subpaths. */
export function listEntries({ folder, manifest }: WorkspacePackage): { subpath: string; file: string }[] {
  return Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) => {
    const source = typeof target === 'string' ? undefined : target['lachesis-source'];
    return source === undefined ? [] : [{ subpath, file: `${folder}/${source.replace(/^\.\//, '')}` }];
  });
}
