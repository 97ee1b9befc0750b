import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

import type { ExecEnd, OutputChunk } from '../sandbox.ts';
import type { RawResult } from './launcher.ts';
import { createOutputCollector } from './output-collector.ts';

/** After a kill the pipes close at once; a process that we could not reach must not keep the caller waiting. */
const CLOSE_GRACE_MS = 2_000;

export interface FollowCommandOptions {
  readonly input?: string | Uint8Array | Readable;
  /** Told what comes on the descriptor that `RunningProgram` names for it. */
  onStatus?(text: string): void;
  readonly timeoutMs: number;
  readonly outputBytes: number;
  readonly onOutput?: (chunk: OutputChunk) => void;
  readonly signal?: AbortSignal;
  /** Ends what was started; may be called more than once. */
  kill(child: ChildProcess): void;
  /** Told the moment the program runs; hands back its end. `stop` names the limit that was reached. */
  watch?(stop: (end: ExecEnd) => void, child: ChildProcess): () => void;
  readonly now?: () => number;
}

export interface StartProgramOptions {
  readonly argv: readonly string[];
  /** Of the program on the host. Nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For descriptors 3, 4, …: `pipe`, nothing, or a file that is open here. */
  readonly descriptors?: readonly ('pipe' | 'ignore' | number)[];
  /** Its own process group, so that a kill reaches the children. */
  readonly isDetached?: boolean;
  /** Its user and group, without further groups; only root can say so. */
  readonly uid?: number;
  readonly spawn?: typeof spawn;
}

/** A program of the host that was started and may not have been given its work yet. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** Rejects when it could not be started. */
  readonly spawned: Promise<void>;
  /** Its end, pipes included; never before `spawned`, and never if that rejects. */
  readonly closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Where its input is written to; descriptor 0 without it. */
  readonly inputDescriptor?: number;
  /** Where `onStatus` listens, if anywhere. */
  readonly statusDescriptor?: number;
}

export type RunCommandOptions = FollowCommandOptions & Omit<StartProgramOptions, 'descriptors'>;

/** Runs one program of the host within a time and an amount of output. Rejects only when it cannot be started. */
export async function runCommand(options: RunCommandOptions): Promise<RawResult> {
  if (options.signal?.aborted === true) return neverStarted();
  return followCommand(startProgram(options), options);
}

export function startProgram(options: StartProgramOptions): RunningProgram {
  const [program, ...args] = options.argv;
  if (program === undefined) throw new TypeError('an empty command');
  const child = (options.spawn ?? spawn)(program, args, {
    cwd: options.cwd,
    env: { ...options.env },
    detached: options.isDetached === true,
    stdio: ['pipe', 'pipe', 'pipe', ...(options.descriptors ?? [])],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // Whoever follows it hears of this.
  spawned.catch(() => undefined);
  return { child, spawned, closed: waitForClose(child) };
}

/** Gives a started program its input, and follows it to its end. */
export async function followCommand(program: RunningProgram, options: FollowCommandOptions): Promise<RawResult> {
  const { child, inputDescriptor = 0, statusDescriptor } = program;
  const { now = () => performance.now() } = options;
  const started = now();
  let end: ExecEnd = 'exited';
  const stop = (reason: ExecEnd): void => {
    if (end === 'exited') end = reason;
    options.kill(child);
  };
  const collector = createOutputCollector({ limitBytes: options.outputBytes, onFull: () => stop('output') });
  listen(child.stdout, 'stdout', collector.push, options.onOutput);
  listen(child.stderr, 'stderr', collector.push, options.onOutput);
  if (statusDescriptor !== undefined) {
    const status = child.stdio[statusDescriptor] as Readable | null | undefined;
    status?.on('data', (bytes: Buffer) => options.onStatus?.(bytes.toString('utf8')));
    status?.on('error', () => undefined);
  }
  const timer = setTimeout(() => stop('timeout'), options.timeoutMs);
  const abort = (): void => stop('killed');
  options.signal?.addEventListener('abort', abort, { once: true });
  let unwatch: (() => void) | undefined;
  try {
    await program.spawned;
    feed(child.stdio[inputDescriptor] as Writable | null, options.input);
    unwatch = options.watch?.(stop, child);
    const { code, signal } = await program.closed;
    // Its last look may still name a limit.
    unwatch?.();
    unwatch = undefined;
    return {
      exitCode: end === 'exited' ? code : null,
      signal: end === 'exited' ? signal : 'SIGKILL',
      ...collector.read(),
      end,
      durationMs: now() - started,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', abort);
    unwatch?.();
  }
}

/** The result of a command whose signal was there before it. */
export function neverStarted(): RawResult {
  const nothing = Buffer.alloc(0);
  return {
    exitCode: null,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    output: nothing,
    isTruncated: false,
    end: 'killed',
    durationMs: 0,
  };
}

function listen(
  from: Readable | null,
  stream: OutputChunk['stream'],
  push: (stream: OutputChunk['stream'], bytes: Buffer) => Buffer,
  onOutput: RunCommandOptions['onOutput'],
): void {
  const decoder = new StringDecoder('utf8');
  from?.on('data', (bytes: Buffer) => {
    const kept = push(stream, bytes);
    if (onOutput === undefined || kept.length === 0) return;
    onOutput({ stream, text: decoder.write(kept), bytes: kept });
  });
  // A pipe that breaks because its process was killed is reported by the exit.
  from?.on('error', () => undefined);
}

/** Writes all of it and closes. */
export function feed(to: Writable | null, input: string | Uint8Array | Readable | undefined): void {
  if (to === null) return;
  // The program may end without reading, which is its right.
  to.on('error', () => undefined);
  if (input === undefined) to.end();
  else if (typeof input === 'string' || input instanceof Uint8Array) to.end(input);
  else input.pipe(to);
}

function waitForClose(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    let grace: NodeJS.Timeout | undefined;
    child.once('close', (code, signal) => {
      clearTimeout(grace);
      resolve({ code, signal });
    });
    child.once('exit', (code, signal) => {
      // Something that escaped the process group may hold the pipes open.
      grace = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      }, CLOSE_GRACE_MS);
    });
  });
}
