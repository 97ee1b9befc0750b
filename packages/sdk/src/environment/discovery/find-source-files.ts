import { readFile, readdir, stat } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { DiscoveryProblem } from './discovered-environment.ts';

/** The files of a machine, or a test's own. */
export interface SourceFiles {
  readFile(path: string): Promise<string>;
  /** Names in a folder, folders with a slash at the end. Throws when there is none. */
  readFolder(path: string): Promise<string[]>;
  isFile(path: string): Promise<boolean>;
}

export const nodeSourceFiles: SourceFiles = {
  readFile: (path) => readFile(path, 'utf8'),
  readFolder: async (path) => {
    const entries = await readdir(path, { withFileTypes: true });
    return Promise.all(
      entries.map(async (entry) => {
        const isFolder = entry.isSymbolicLink() ? await isFolderAt(join(path, entry.name)) : entry.isDirectory();
        return isFolder ? `${entry.name}/` : entry.name;
      }),
    );
  },
  isFile: async (path) => (await statOf(path))?.isFile() === true,
};

const isFolderAt = async (path: string): Promise<boolean> => (await statOf(path))?.isDirectory() === true;

async function statOf(path: string): Promise<Awaited<ReturnType<typeof stat>> | undefined> {
  try {
    return await stat(path);
  } catch {
    // Not there, or not for us: both mean that nothing is found here.
    return undefined;
  }
}

export interface FindOptions {
  readonly cwd: string;
  /** `LACHESIS_ENV_PATH` of it is read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: SourceFiles;
  /** Folders of packages that are looked at beside those installed in `cwd`. */
  readonly packageFolders: readonly string[];
  readonly onProblem: (problem: DiscoveryProblem) => void;
}

/** Deeper than any project keeps its environments, and shallow enough for a folder that holds data by mistake. */
const MAX_DEPTH = 5;
const SOURCE = /\.(?:ts|mts|js|mjs|py)$/;
const NO_SOURCE = /\.d\.m?ts$|\.(?:test|spec|config)\.\w+$|^(?:test_|conftest|setup)\w*\.py$|^__init__\.py$/;
const NO_FOLDER = /^(?:node_modules|__pycache__|dist|venv|\..*|tests?)\/$/;

/** Files that may hold environments, those that go before others first: ./environments, LACHESIS_ENV_PATH, packages. */
export async function findSourceFiles(options: FindOptions): Promise<string[]> {
  const { cwd, env, files, onProblem } = options;
  const own = await listFolder(files, join(cwd, 'environments'), 0);
  const named: string[] = [];
  for (const part of (env['LACHESIS_ENV_PATH'] ?? '').split(delimiter).filter((text) => text.trim() !== '')) {
    const path = resolve(cwd, part.trim());
    const found = (await files.isFile(path)) ? [path] : await listFolder(files, path, 0);
    if (found.length === 0) onProblem({ path, reason: 'LACHESIS_ENV_PATH names it, and no source file is there' });
    named.push(...found);
  }
  return [...new Set([...own, ...named, ...(await listPackageFiles(options))])];
}

async function listFolder(files: SourceFiles, folder: string, depth: number): Promise<string[]> {
  if (depth > MAX_DEPTH) return [];
  const names = await readFolderOrNone(files, folder);
  // Files before folders: what lies at the top goes before what somebody keeps further down under the same name.
  const inOrder = names.toSorted((a, b) => Number(a.endsWith('/')) - Number(b.endsWith('/')) || (a < b ? -1 : 1));
  const found = await Promise.all(
    inOrder.map(async (name) => {
      if (name.endsWith('/')) return NO_FOLDER.test(name) ? [] : listFolder(files, join(folder, name), depth + 1);
      return SOURCE.test(name) && !NO_SOURCE.test(name) ? [join(folder, name)] : [];
    }),
  );
  return found.flat();
}

async function readFolderOrNone(files: SourceFiles, folder: string): Promise<string[]> {
  try {
    return await files.readFolder(folder);
  } catch {
    // Most projects have no such folder.
    return [];
  }
}

/** Packages say in `lachesis.environments` of their package.json which files hold environments. */
async function listPackageFiles({ cwd, files, packageFolders, onProblem }: FindOptions): Promise<string[]> {
  const found: string[] = [];
  const folders = [...(await listInstalledPackages(files, cwd)), ...packageFolders];
  for (const folder of new Set(folders)) {
    const manifest = await readManifest(files, folder);
    for (const entry of manifest?.lachesis?.environments ?? []) {
      const path = await findEntry(files, folder, entry);
      if (path === undefined)
        onProblem({ path: join(folder, entry), reason: 'package.json lists it, and it is not there' });
      else found.push(path);
    }
  }
  return found;
}

/** In a checkout the sources stand where a published package has what was built of them; they are newer. */
async function findEntry(files: SourceFiles, folder: string, entry: string): Promise<string | undefined> {
  const source = entry.replace(/^(\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts');
  for (const path of [source, entry].map((part) => join(folder, part))) if (await files.isFile(path)) return path;
  return undefined;
}

/** The project itself and what it depends on, from `cwd` upwards. */
async function listInstalledPackages(files: SourceFiles, cwd: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const manifest = await readManifest(files, folder);
    if (manifest !== undefined) {
      folders.push(folder);
      const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
      folders.push(...names.map((name) => join(folder, 'node_modules', name)));
    }
    if (folder === dirname(folder)) return folders;
  }
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly lachesis?: { readonly environments?: readonly string[] };
}

async function readManifest(files: SourceFiles, folder: string): Promise<Manifest | undefined> {
  const path = join(folder, 'package.json');
  if (!(await files.isFile(path))) return undefined;
  try {
    return JSON.parse(await files.readFile(path)) as Manifest;
  } catch {
    // Somebody else's broken manifest is not ours to report; npm does.
    return undefined;
  }
}
