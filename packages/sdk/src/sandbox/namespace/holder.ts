import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

import { SandboxError } from '../sandbox-error.ts';

const START_TIMEOUT_MS = 10_000;
const KEPT_STDERR = 2_000;

export interface StartHolderOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files that are open here, for descriptors 3, 4, …. */
  readonly joins: readonly number[];
  /** Contents for the descriptors after those; the information of bubblewrap comes on the one after them. */
  readonly descriptors: readonly string[];
  /** Its user and group; that of this process without it. */
  readonly uid?: number;
  readonly spawn?: typeof spawn;
}

/** The process that keeps a sandbox's world: its disk, its network and its processes end with it. */
export interface Holder {
  /** As this machine numbers it: the first process of the world, whose namespaces are the sandbox's. */
  readonly worldPid: number;
  /** The process that we started. What loses its parent in the world becomes its descendant. */
  readonly pid: number;
  isRunning(): boolean;
  /** Resolves when it is gone, and the world with it. */
  end(): Promise<void>;
}

export async function startHolder(options: StartHolderOptions): Promise<Holder> {
  const [program = '', ...args] = options.argv;
  const child = (options.spawn ?? spawn)(program, args, {
    env: { ...options.env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe', ...options.joins, ...options.descriptors.map(() => 'pipe' as const), 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const first = 3 + options.joins.length;
  const closed = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin?.on('error', () => undefined);
  options.descriptors.forEach((text, index) => {
    const pipe = child.stdio[first + index] as Writable;
    // A holder that cannot start does not read; why it could not is in its exit.
    pipe.on('error', () => undefined);
    pipe.end(text);
  });
  const isRunning = (): boolean => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (): Promise<void> => {
    // Whoever waits for the end keeps the program alive until then.
    child.ref();
    if (isRunning()) child.kill('SIGKILL');
    for (const pipe of child.stdio) pipe?.destroy();
    await closed;
  };
  try {
    const [worldPid] = await Promise.all([
      readWorldPid(child.stdio[first + options.descriptors.length] as Readable),
      waitForReady(child),
    ]);
    // A program that embeds us may end while sandboxes live; the kernel ends them with it.
    child.unref();
    for (const pipe of child.stdio) (pipe as { unref?: () => void } | null)?.unref?.();
    return { worldPid, pid: child.pid ?? 0, isRunning, end };
  } catch (error) {
    await end();
    throw error;
  }
}

function waitForReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    let complaint = '';
    const timer = setTimeout(() => reject(describeFailure('nothing within 10 s', complaint)), START_TIMEOUT_MS);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (!printed.includes('ready')) return;
      clearTimeout(timer);
      resolve();
    });
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (complaint = (complaint + text).slice(-KEPT_STDERR)));
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(describeFailure(cause.message, complaint));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      reject(describeFailure(`exit ${code ?? signal ?? 'unknown'}`, complaint));
    });
  });
}

/** Never rejects: a holder that ends without it is noticed by who waits for `ready`. */
function readWorldPid(info: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    info.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const pid = /"child-pid": (\d+)[,\s}]/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.on('error', () => undefined);
  });
}

function describeFailure(what: string, complaint: string): SandboxError {
  return new SandboxError({
    kind: 'failed',
    reason: `The sandbox could not be started: ${what}${complaint === '' ? '' : ` (${complaint.trim()})`}.`,
    hint: 'Check that bubblewrap and nsenter are installed and that user namespaces are allowed.',
  });
}
