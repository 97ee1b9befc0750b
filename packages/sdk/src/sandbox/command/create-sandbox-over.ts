import type { CreateSandbox, ExecOptions, ExecResult, Sandbox, SandboxLimits } from '../sandbox.ts';
import { SandboxError } from '../sandbox-error.ts';
import { copyFolderIn } from './copy-folder-in.ts';
import type { Launcher } from './launcher.ts';
import { readChanges } from './read-changes.ts';
import { rememberCommands } from './remember-commands.ts';
import { createSandboxFiles, toInnerPath } from './sandbox-files.ts';
import type { FileDigest } from './sandbox-files.ts';

/** A word of a command line may be 128 KiB on Linux; what stands around it needs a little. */
const MAX_WORD_BYTES = 120 * 1024;

export interface CreateSandboxOverOptions {
  readonly id: string;
  readonly launcher: Launcher;
  readonly limits: SandboxLimits;
  readonly options: CreateSandbox;
  readonly network?: Sandbox['network'];
  /** Told once, when the sandbox is gone. */
  onDestroyed?(): void;
}

/** Builds the whole contract on a launcher: files, diff, lifetime and limits are the same on every backend. */
export async function createSandboxOver(given: CreateSandboxOverOptions): Promise<Sandbox> {
  const { id, limits, options } = given;
  const { launcher, endCommands } = rememberCommands(given.launcher);
  const files = createSandboxFiles({ launcher, maxFileBytes: limits.diskBytes });
  let destroying: Promise<void> | undefined;
  let lifetime: NodeJS.Timeout | undefined;
  const destroy = (): Promise<void> => {
    clearTimeout(lifetime);
    destroying ??= launcher.destroy().finally(() => given.onDestroyed?.());
    return destroying;
  };
  const whileAlive = async <T>(work: () => Promise<T>): Promise<T> => {
    if (destroying !== undefined) throw createDestroyedError(id);
    try {
      return await work();
    } catch (error) {
      // What failed because the sandbox went away beneath it says so.
      if (destroying !== undefined) throw createDestroyedError(id, error);
      throw error;
    }
  };
  let baseline = new Map<string, FileDigest>();
  try {
    if (options.folder !== undefined) {
      await copyFolderIn({ launcher, folder: options.folder });
      baseline = await files.readDigests();
    }
  } catch (error) {
    await destroy();
    throw error;
  }
  if (options.lifetimeMs !== undefined) {
    // Nobody waits for this one; a failure to end it is found by the reaper.
    lifetime = setTimeout(() => void destroy().catch(() => undefined), options.lifetimeMs);
    lifetime.unref();
  }
  const sandbox: Sandbox = {
    id,
    isTrusted: false,
    workdir: '/work',
    network: given.network,
    exec: (command, execOptions = {}) => whileAlive(() => execute({ launcher, limits, options, command, execOptions })),
    readFile: (path) => whileAlive(() => files.readFile(path)),
    writeFile: (path, data) => whileAlive(() => files.writeFile(path, data)),
    listFiles: (path) => whileAlive(() => files.listFiles(path)),
    removeFile: (path) => whileAlive(() => files.removeFile(path)),
    diff: (diffOptions = {}) => whileAlive(() => readChanges({ id, files, baseline, ...diffOptions })),
    endCommands: () => whileAlive(endCommands),
    destroy,
  };
  return sandbox;
}

interface Execution {
  readonly launcher: Launcher;
  readonly limits: SandboxLimits;
  readonly options: CreateSandbox;
  readonly command: string | readonly string[];
  readonly execOptions: ExecOptions;
}

async function execute({ launcher, limits, options, command, execOptions }: Execution): Promise<ExecResult> {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const long = argv.find((word) => Buffer.byteLength(word) > MAX_WORD_BYTES);
  if (argv.length === 0 || long !== undefined || argv.some((word) => word.includes('\0'))) {
    throw new SandboxError({
      kind: 'bad-options',
      reason:
        long === undefined
          ? 'The command is an empty list or holds a zero byte.'
          : `A word of the command has ${Buffer.byteLength(long)} bytes, and ${MAX_WORD_BYTES} are possible.`,
      hint: 'Write long text to a file or give it as input.',
    });
  }
  const env = { ...options.env, ...execOptions.env };
  const bad = Object.entries(env).find(([name, value]) => /^$|[=\0]/.test(name) || value.includes('\0'));
  if (bad !== undefined) {
    throw new SandboxError({
      kind: 'bad-options',
      reason: `The variable ${JSON.stringify(bad[0].slice(0, 200))} has no name, an equals sign in it, or a zero byte.`,
      hint: 'Rename it, or write its value to a file.',
    });
  }
  const raw = await launcher.launch(argv, {
    timeoutMs: Math.min(execOptions.timeoutMs ?? limits.wallMs, limits.wallMs),
    outputBytes: Math.min(execOptions.outputBytes ?? limits.outputBytes, limits.outputBytes),
    cwd: execOptions.cwd === undefined ? launcher.root : toInnerPath(launcher, execOptions.cwd),
    env,
    ...(execOptions.input === undefined ? {} : { input: execOptions.input }),
    ...(execOptions.onOutput === undefined ? {} : { onOutput: execOptions.onOutput.bind(execOptions) }),
    ...(execOptions.signal === undefined ? {} : { signal: execOptions.signal }),
  });
  return {
    ...raw,
    output: raw.output.toString('utf8'),
    stdout: raw.stdout.toString('utf8'),
    stderr: raw.stderr.toString('utf8'),
  };
}

function createDestroyedError(id: string, cause?: unknown): SandboxError {
  return new SandboxError({
    kind: 'destroyed',
    reason: `The sandbox ${id} is destroyed.`,
    hint: 'Create another one; raise lifetimeMs if it ended too early.',
    cause,
  });
}
