import { writeTar } from '../../sandbox/command/tar.ts';
import type { ExecResult, Sandbox } from '../../sandbox/sandbox.ts';

export type GradeFiles = Readonly<Record<string, string | Uint8Array>>;

export interface CleanGradeOptions<Graded = undefined> {
  /** What is taken from the agent: these files and no others, or all that it changed. Name the files where you can. */
  readonly files: 'diff' | readonly string[];
  /** With `diff`: paths that are left behind, a folder with all that is in it. Git's own folder always is. */
  readonly except?: readonly string[] | undefined;
  /**
   * Written after the agent's files, so that theirs is the last word. A function gets a mark that nobody knows before; tests that
   * print it as their last line have then run to their end, which an exit code alone does not say.
   */
  readonly tests?: GradeFiles | ((mark: string) => GradeFiles) | undefined;
  /** What grades; passes with exit code 0, and with the mark where `tests` is a function. */
  readonly command?: string | readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  /** Grades by hand, after `command`: run what was made and compare what it prints here, where no answer can be read. */
  readonly grade?: ((sandbox: Sandbox, run: ExecResult | undefined) => Promise<Graded>) | undefined;
}

export interface CleanGrade<Graded = undefined> {
  /** The command passed; without a command, that everything named was there. */
  readonly passed: boolean;
  /** Of the command; undefined without one. */
  readonly run: ExecResult | undefined;
  readonly graded: Graded | undefined;
  /** Named and not there. */
  readonly missing: readonly string[];
  /** Made by the agent and left behind. */
  readonly leftBehind: readonly string[];
}

export interface CleanGradeParts {
  /** The sandbox the agent worked in. */
  readonly from: Sandbox;
  /** Makes one like it was before the agent. */
  readonly createClean: () => Promise<Sandbox>;
  readonly newMark: () => string;
  readonly signal: AbortSignal;
}

/** A whole disk of files is no answer to a task, and each is held in memory on its way. */
const MAX_TAKEN_BYTES = 64 * 1024 * 1024;
const MAX_TAKEN_FILES = 10_000;

interface Taken {
  readonly files: Map<string, { content: Uint8Array; isExecutable: boolean }>;
  bytes: number;
  readonly removed: string[];
  readonly missing: string[];
  readonly leftBehind: string[];
}

export async function gradeInCleanSandbox<Graded>(
  options: CleanGradeOptions<Graded>,
  { from, createClean, newMark, signal }: CleanGradeParts,
): Promise<CleanGrade<Graded>> {
  const { files, except = [], tests, command, timeoutMs, grade } = options;
  const taken = files === 'diff' ? await takeDiff(from, except) : await takeFiles(from, files);
  const clean = await createClean();
  try {
    for (const path of taken.removed) await clean.removeFile(path);
    await layTaken(clean, taken, signal);
    const mark = newMark();
    for (const [path, content] of Object.entries(typeof tests === 'function' ? tests(mark) : (tests ?? {}))) {
      // The agent may have made a folder where a test belongs.
      await clean.removeFile(path);
      await clean.writeFile(path, content);
    }
    const run =
      command === undefined
        ? undefined
        : await clean.exec(command, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    signal.throwIfAborted();
    const hasEnded = typeof tests !== 'function' || run?.stdout.trimEnd().split('\n').at(-1) === mark;
    return {
      passed: run === undefined ? taken.missing.length === 0 : run.end === 'exited' && run.exitCode === 0 && hasEnded,
      run,
      graded: await grade?.(clean, run),
      missing: taken.missing,
      leftBehind: taken.leftBehind,
    };
  } finally {
    await clean.destroy();
  }
}

/** In one command, because there may be thousands. */
async function layTaken(clean: Sandbox, { files }: Taken, signal: AbortSignal): Promise<void> {
  if (files.size === 0) return;
  const input = writeTar(Array.from(files, ([path, file]) => ({ path, ...file })));
  // What is in the way gives way; a link is not written through.
  const argv = ['tar', '-xf', '-', '--no-same-owner', '--recursive-unlink', '-C', '.'];
  const { exitCode, end, stderr } = await clean.exec(argv, { input, signal });
  if (exitCode === 0) return;
  throw new Error(`what the agent made could not be laid for the grade (${stderr.trim().slice(0, 300) || end})`);
}

async function takeFiles(from: Sandbox, paths: readonly string[]): Promise<Taken> {
  const taken: Taken = { files: new Map(), bytes: 0, removed: [], missing: [], leftBehind: [] };
  for (const path of paths) {
    try {
      add(taken, path, await from.readFile(path), false);
    } catch (error) {
      if (error instanceof TooMuch) throw error;
      // A file that is not there, or that is a link or a folder: the agent did not make what was asked for.
      taken.missing.push(path);
    }
  }
  return taken;
}

async function takeDiff(from: Sandbox, except: readonly string[]): Promise<Taken> {
  const taken: Taken = { files: new Map(), bytes: 0, removed: [], missing: [], leftBehind: [] };
  for (const { path, change, content, isExecutable = false } of await from.diff({ except: ['.git', ...except] })) {
    const isLeft = isUnsafe(path) || ['.git', ...except].some((left) => isInside(path, left));
    if (isLeft) taken.leftBehind.push(path);
    else if (change === 'removed') taken.removed.push(path);
    else if (content !== undefined) add(taken, path, content, isExecutable);
  }
  return taken;
}

class TooMuch extends Error {}

function add(taken: Taken, path: string, content: Uint8Array, isExecutable: boolean): void {
  const { files } = taken;
  files.set(path, { content, isExecutable });
  taken.bytes += content.length;
  if (taken.bytes <= MAX_TAKEN_BYTES && files.size <= MAX_TAKEN_FILES) return;
  throw new TooMuch(
    `the agent left more than ${MAX_TAKEN_FILES} files or ${MAX_TAKEN_BYTES / 1024 / 1024} MB to grade; name the files that count`,
  );
}

const isInside = (path: string, folder: string): boolean => {
  const clean = folder.replace(/\/+$/, '');
  return path === clean || path.startsWith(`${clean}/`) || (clean === '.git' && path.split('/').includes('.git'));
};

const isUnsafe = (path: string): boolean =>
  path.startsWith('/') || path.split('/').includes('..') || path.includes('\0');
