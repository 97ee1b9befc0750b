import type { CreateSandbox, ExecOptions, ExecResult, FileChange, Sandbox, SandboxLimits } from '../sandbox.ts';
import { SandboxError } from '../sandbox-error.ts';
import { copyFolderIn } from './copy-folder-in.ts';
import type { Launcher } from './launcher.ts';
import { createSandboxFiles, toInnerPath } from './sandbox-files.ts';
import type { FileDigest } from './sandbox-files.ts';

/** A word of a command line may be 128 KiB on Linux; what stands around it needs a little. */
const MAX_WORD_BYTES = 120 * 1024;
/** What one diff may bring into memory at most, over all files. */
const MAX_DIFF_BYTES = 256 * 1024 * 1024;

export interface CreateSandboxOverOptions {
  readonly id: string;
  readonly launcher: Launcher;
  readonly limits: SandboxLimits;
  readonly options: CreateSandbox;
  /** Told once, when the sandbox is gone. */
  onDestroyed?(): void;
}

/** Builds the whole contract on a launcher: files, diff, lifetime and limits are the same on every backend. */
export async function createSandboxOver(given: CreateSandboxOverOptions): Promise<Sandbox> {
  const { id, launcher, limits, options } = given;
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
    exec: (command, execOptions = {}) => whileAlive(() => execute({ launcher, limits, options, command, execOptions })),
    readFile: (path) => whileAlive(() => files.readFile(path)),
    writeFile: (path, data) => whileAlive(() => files.writeFile(path, data)),
    listFiles: (path) => whileAlive(() => files.listFiles(path)),
    removeFile: (path) => whileAlive(() => files.removeFile(path)),
    diff: () => whileAlive(async () => readChanges({ sandbox, baseline, current: await files.readDigests() })),
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
  const environment = { ...options.environment, ...execOptions.environment };
  const bad = Object.entries(environment).find(([name, value]) => /^$|[=\0]/.test(name) || value.includes('\0'));
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
    environment,
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

interface ChangesOptions {
  readonly sandbox: Sandbox;
  readonly baseline: ReadonlyMap<string, FileDigest>;
  readonly current: ReadonlyMap<string, FileDigest>;
}

async function readChanges({ sandbox, baseline, current }: ChangesOptions): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  let bytes = 0;
  for (const [path, { sha256, isExecutable }] of current) {
    const before = baseline.get(path);
    if (before?.sha256 === sha256 && before.isExecutable === isExecutable) continue;
    const content = await sandbox.readFile(`${sandbox.workdir}/${path}`);
    bytes += content.length;
    if (bytes > MAX_DIFF_BYTES) {
      throw new SandboxError({
        kind: 'too-large',
        reason: `The changes in sandbox ${sandbox.id} hold more than ${MAX_DIFF_BYTES} bytes.`,
        hint: 'Lower diskBytes, or read the files you need by name.',
      });
    }
    changes.push({ path, change: before === undefined ? 'added' : 'modified', content, isExecutable });
  }
  for (const path of baseline.keys()) if (!current.has(path)) changes.push({ path, change: 'removed' });
  return changes.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function createDestroyedError(id: string, cause?: unknown): SandboxError {
  return new SandboxError({
    kind: 'destroyed',
    reason: `The sandbox ${id} is destroyed.`,
    hint: 'Create another one; raise lifetimeMs if it ended too early.',
    cause,
  });
}
