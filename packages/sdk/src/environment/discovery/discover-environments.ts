import type { DiscoveredEnvironment, DiscoveryProblem } from './discovered-environment.ts';
import { type SourceFiles, findSourceFiles, nodeSourceFiles } from './find-source-files.ts';
import { scanPython } from './scan-python.ts';
import { UnreadableSource, scanTypeScript } from './scan-typescript.ts';

export interface DiscoverOptions {
  /** Where `./environments` and the project are looked for. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly files?: SourceFiles;
  /** Folders of packages that are looked at beside those installed in `cwd`, such as one that comes with the command. */
  readonly packageFolders?: readonly string[];
  /** Told of files that cannot be read and of names that are taken twice. */
  readonly onProblem?: (problem: DiscoveryProblem) => void;
}

/** Larger files hold data. */
const MAX_CHARACTERS = 1_000_000;

/** Environments in `./environments`, in LACHESIS_ENV_PATH and in installed packages. None of their code is run. */
export async function discoverEnvironments(options: DiscoverOptions = {}): Promise<DiscoveredEnvironment[]> {
  const { cwd = process.cwd(), env = process.env, files = nodeSourceFiles, packageFolders = [] } = options;
  const onProblem = options.onProblem ?? (() => {});
  const byName = new Map<string, DiscoveredEnvironment>();
  for (const path of await findSourceFiles({ cwd, env, files, packageFolders, onProblem })) {
    for (const found of await scanFile(files, path, onProblem)) {
      const first = byName.get(found.name);
      if (first === undefined) byName.set(found.name, found);
      else onProblem({ path, reason: `the name ${found.name} is taken by ${first.file_path}` });
    }
  }
  return [...byName.values()];
}

/** The environments of one file. */
export async function scanFile(
  files: SourceFiles,
  path: string,
  onProblem: (problem: DiscoveryProblem) => void,
): Promise<DiscoveredEnvironment[]> {
  const source = await files.readFile(path);
  if (source.length > MAX_CHARACTERS) return [];
  if (path.endsWith('.py')) return scanPython(path, source);
  try {
    return scanTypeScript(path, source);
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error;
    onProblem({ path, reason: `it cannot be parsed: ${error.message}` });
    return [];
  }
}
