import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { EngineError } from './engine-error.ts';
import { listEnginePaths, shippedFiles } from './engine-paths.ts';
import type { OnEngineProgress } from './engine-progress.ts';
import { findPython } from './find-python.ts';
import { findUv } from './find-uv.ts';
import { holdMakeLock } from './hold-make-lock.ts';
import { listProcesses } from './list-processes.ts';
import { runTool, type RunTool } from './run-tool.ts';
import { createToolEnvironment } from './tool-environment.ts';
import { hashLock, isVenvReady, markVenv, pickFromLock } from './venv-marker.ts';

/** What the venv takes (0.9 GB) and what uv unpacks beside it. */
const NEEDED_BYTES = 2_000_000_000;

/** Slow lines take ten minutes for 250 MB; somebody who waits longer has lost the connection. */
const INSTALL_TIMEOUT_MS = 30 * 60_000;

/** Where the engine is installed, and with which Python. */
export interface PrepareEngineOptions {
  /** The folder of Lachesis; everything is made in `engine` in it. */
  readonly home: string;
  /** A Python 3.12 to use; looked for when absent. */
  readonly python?: string | undefined;
  readonly onProgress?: OnEngineProgress | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly run?: RunTool;
}

export interface PreparedEngine {
  readonly venvDirectory: string;
  /** Its interpreter: the engine's packages and the official Python client are in it. */
  readonly python: string;
  readonly uv: string;
}

/** Makes the engine's venv, or finds it made. What an interrupted call installed is kept and gone on with. */
export async function prepareEngine(options: PrepareEngineOptions): Promise<PreparedEngine> {
  refusePlatform();
  const paths = listEnginePaths(options.home);
  const lock = await readFile(shippedFiles.requirementsLock, 'utf8');
  const key = hashLock(lock);
  const prepared = describeVenv(join(paths.directory, `venv-${key}`));
  if (await isVenvReady(prepared.venvDirectory, key)) return prepared;

  await using _held = await holdMakeLock(options);
  if (await isVenvReady(prepared.venvDirectory, key)) return prepared;
  await install({ ...options, prepared, lock });
  await markVenv(prepared.venvDirectory, key);
  await removeOldVenvs(paths.directory, prepared.venvDirectory);
  return prepared;
}

function refusePlatform(platform: NodeJS.Platform = process.platform): void {
  if (platform === 'linux' || platform === 'darwin') return;
  throw new EngineError({
    reason: 'unsupported-platform',
    message: `The local engine runs on Linux and macOS, and this is ${platform}.`,
    hint: 'On Windows use WSL, or point TINKER_BASE_URL to a server elsewhere.',
  });
}

function describeVenv(venvDirectory: string): PreparedEngine {
  return { venvDirectory, python: join(venvDirectory, 'bin/python'), uv: join(venvDirectory, 'bin/uv') };
}

async function install(options: PrepareEngineOptions & { prepared: PreparedEngine; lock: string }): Promise<void> {
  const { prepared, lock, signal, onProgress, env = process.env, run = runTool } = options;
  const { venvDirectory } = prepared;
  await mkdir(venvDirectory, { recursive: true });
  await checkSpace(venvDirectory);
  const tool = (command: string, args: readonly string[], onLine?: (line: string) => void) =>
    run({
      command,
      args,
      cwd: venvDirectory,
      env: createToolEnvironment(env),
      signal,
      timeoutMs: INSTALL_TIMEOUT_MS,
      ...(onLine === undefined ? {} : { onLine }),
    });

  onProgress?.({ step: 'python', message: 'looking for Python 3.12' });
  const python = await findPython({ python: options.python, env, signal, run });
  let uv = await findUv({ env, signal, run });
  onProgress?.({ step: 'venv', message: `making a venv with Python ${python.version} (${python.path})` });
  // An unfinished venv of another Python, or one whose Python is gone, cannot be gone on with.
  if (!(await runs(prepared.python, tool))) {
    await rm(venvDirectory, { recursive: true, force: true });
    await mkdir(venvDirectory, { recursive: true });
    const made =
      uv === undefined
        ? await tool(python.path, ['-I', '-m', 'venv', venvDirectory])
        : await tool(uv, [
            'venv',
            '--no-config',
            '--no-project',
            '--allow-existing',
            '--python',
            python.path,
            venvDirectory,
          ]);
    if (made.code !== 0) throw venvFailed(python.path, made.output);
  }
  if (uv === undefined) {
    onProgress?.({ step: 'install', message: 'uv is not on this machine: installing it into the venv' });
    const file = join(venvDirectory, 'uv.lock');
    await writeFile(file, pickFromLock(lock, 'uv'));
    const pip = [
      '-m',
      'pip',
      'install',
      '--no-input',
      '--disable-pip-version-check',
      '--no-deps',
      '--require-hashes',
      '-r',
      file,
    ];
    const installed = await tool(prepared.python, pip);
    if (installed.code !== 0) throw installFailed('uv', installed.output);
    uv = prepared.uv;
  }
  const count = lock.split('\n').filter((line) => line.includes('==')).length;
  onProgress?.({ step: 'install', message: `installing ${count} packages: about 250 MB to download, 0.9 GB on disk` });
  const installed = await tool(
    uv,
    [
      ...['pip', 'install', '--python', prepared.python, '--no-deps', '--require-hashes', '--only-binary', ':all:'],
      ...['-r', shippedFiles.requirementsLock],
    ],
    // uv names large downloads as they begin and end, then each package it put in place.
    (line) => {
      if (/^\s*(?:Downloading|Downloaded|Prepared|Installed)\b/.test(line))
        onProgress?.({ step: 'install', message: line.trim() });
    },
  );
  if (installed.code !== 0) throw installFailed('the packages of the engine', installed.output);
}

async function runs(python: string, tool: (command: string, args: string[]) => ReturnType<RunTool>): Promise<boolean> {
  if (!existsSync(python)) return false;
  const asked = await tool(python, ['-I', '-c', 'import sys; sys.exit(sys.version_info[:2] != (3, 12))']);
  return asked.code === 0;
}

async function checkSpace(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const freeBytes = bavail * bsize;
  if (freeBytes >= NEEDED_BYTES) return;
  throw new EngineError({
    reason: 'disk-full',
    message: `The engine needs ${toGigabytes(NEEDED_BYTES)} GB, and ${directory} has ${toGigabytes(freeBytes)} GB left.`,
    hint: 'Make room, or choose another folder with --home.',
  });
}

function toGigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}

function venvFailed(python: string, output: string): EngineError {
  const lacksPip = /ensurepip is not|No module named '?(?:venv|ensurepip)/.test(output);
  return new EngineError({
    reason: 'venv-failed',
    message: `${python} could not make a venv.`,
    hint: lacksPip
      ? 'It lacks its venv module: install python3.12-venv, or install uv (`pip install uv`), which needs none.'
      : 'What it printed is below.',
    output,
  });
}

function installFailed(what: string, output: string): EngineError {
  return new EngineError({
    reason: 'install-failed',
    message: `Installing ${what} failed.`,
    hint: 'What was downloaded is kept: run it again when the network, or the registry pip and uv are set to, is there.',
    output,
  });
}

/** Each lock has its own venv, a gigabyte each. One that a running engine uses stays until the next time. */
async function removeOldVenvs(directory: string, current: string): Promise<void> {
  const others = (await readdir(directory))
    .filter((name) => name.startsWith('venv-'))
    .map((name) => join(directory, name))
    .filter((venv) => venv !== current);
  if (others.length === 0) return;
  const commands = (await listProcesses()).map(({ command }) => command);
  for (const venv of others) {
    if (!commands.some((command) => command.includes(venv))) await rm(venv, { recursive: true, force: true });
  }
}
