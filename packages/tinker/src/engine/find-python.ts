import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

import { EngineError } from './engine-error.ts';
import { runTool, type RunTool } from './run-tool.ts';

/** The engine declares 3.12 to 3.14; its pins were proved on this one. */
const WANTED = '3.12';

/** A first start from a cold disk takes seconds; one that takes longer than this hangs. */
const ASK_TIMEOUT_MS = 20_000;

/** An interpreter that the engine can be installed with. */
export interface Python {
  readonly path: string;
  readonly version: string;
}

export interface FindPythonOptions {
  /** This interpreter and no other. */
  readonly python?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  readonly signal?: AbortSignal | undefined;
  readonly run?: RunTool;
  /** Names in a folder; none when it is not there. */
  readonly listFolder?: (folder: string) => Promise<string[]>;
}

/** Finds a Python 3.12 that really runs: a shim of pyenv is in the path for versions that are not switched on. */
export async function findPython(options: FindPythonOptions = {}): Promise<Python> {
  const { run = runTool, signal } = options;
  const candidates = options.python === undefined ? await listCandidates(options) : [options.python];
  const seen: string[] = [];
  for (const path of candidates) {
    const version = await askVersion(path, run, signal);
    if (version?.startsWith(`${WANTED}.`) === true) return { path, version };
    if (version !== undefined) seen.push(`${path} (${version})`);
  }
  const found = seen.length === 0 ? 'no Python was found' : `there is only ${[...new Set(seen)].join(', ')}`;
  throw new EngineError({
    reason: 'python-missing',
    message: `The engine needs Python ${WANTED}, and ${found}.`,
    hint:
      options.python === undefined
        ? `Looked in the PATH, in pyenv's versions, in uv's and in the usual folders. Get it with \`uv python install ${WANTED}\`, \`pyenv install ${WANTED}\`, \`brew install python@${WANTED}\` or your system's package python${WANTED}, or name one with --python.`
        : `${options.python} cannot be used; leave --python out to have one looked for.`,
  });
}

async function listCandidates(options: FindPythonOptions): Promise<string[]> {
  const { env = process.env, userHome = homedir(), listFolder = listFolderOrNone } = options;
  const inPath = (name: string): string[] =>
    (env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name));
  const versions = async (folder: string, pattern: RegExp, rest: string): Promise<string[]> =>
    (await listFolder(folder))
      .filter((name) => pattern.test(name))
      .sort(newestFirst)
      .map((name) => join(folder, name, rest));

  const pyenv = env['PYENV_ROOT'] ?? join(userHome, '.pyenv');
  const uv = env['UV_PYTHON_INSTALL_DIR'] ?? join(env['XDG_DATA_HOME'] ?? join(userHome, '.local/share'), 'uv/python');
  const specific = `python${WANTED}`;
  return [
    ...inPath(specific),
    ...(await versions(join(pyenv, 'versions'), /^3\.12\.\d+$/, `bin/${specific}`)),
    ...(await versions(uv, /^cpython-3\.12[.-]/, `bin/${specific}`)),
    join('/opt/homebrew/opt', `python@${WANTED}`, 'bin', specific),
    join('/usr/local/opt', `python@${WANTED}`, 'bin', specific),
    join('/Library/Frameworks/Python.framework/Versions', WANTED, 'bin', specific),
    ...inPath('python3'),
    ...inPath('python'),
  ];
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true });
}

async function askVersion(path: string, run: RunTool, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { code, output } = await run({
    command: path,
    args: ['-I', '-c', 'import sys; print("version", *sys.version_info[:3], sep=".")'],
    timeoutMs: ASK_TIMEOUT_MS,
    signal,
  });
  return code === 0 ? /^version\.(\d+\.\d+\.\d+)$/m.exec(output)?.[1] : undefined;
}

async function listFolderOrNone(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Most machines have neither pyenv nor uv; a folder that cannot be read holds no Python for us either.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EACCES') return [];
    throw error;
  });
}
