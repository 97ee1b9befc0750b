import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';

/** Output kept in memory per process; enough for a stack trace and its context, small enough for hundreds of processes. */
const KEPT_LOG_CHARACTERS = 64 * 1024;

export interface StartProcessOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Added to this process's own environment; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How messages call it; the command by default. */
  readonly name?: string;
  /** Also append everything it prints to this file. */
  readonly logFile?: string;
  /** Called with each complete line of standard output. */
  readonly onLine?: (line: string) => void;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StopOptions {
  /** What it is asked with; SIGTERM by default. */
  readonly signal?: NodeJS.Signals;
  /** How long it may take before it is killed; 5,000 by default. */
  readonly graceMs?: number;
}

/** A child process of the test, ended by its own pid and never by name. */
export interface RunningProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Resolves when it has ended, whatever the reason; never rejects. */
  readonly exited: Promise<ProcessExit>;
  isRunning(): boolean;
  /** The last output, standard output and standard error in order of arrival. */
  logs(): string;
  /** Sends a signal to this one process; false when it has already ended. */
  signal(signal: NodeJS.Signals): boolean;
  /** Ends it: the signal, the grace, then SIGKILL. Safe to call twice and at once. */
  stop(options?: StopOptions): Promise<ProcessExit>;
}

/** Starts a process and resolves once the operating system has it, or throws when it cannot be started. */
export async function startProcess(options: StartProcessOptions): Promise<RunningProcess> {
  const name = options.name ?? options.command;
  const child = spawn(options.command, [...(options.args ?? [])], {
    cwd: options.cwd,
    env: mergeEnvironment(options.env ?? {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kept = collectOutput(child, options);
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(new Error(`${name} could not be started: ${cause.message}`, { cause })));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} was started without a pid`);

  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  let stopping: Promise<ProcessExit> | undefined;
  const stop = async ({ signal = 'SIGTERM', graceMs = 5_000 }: StopOptions): Promise<ProcessExit> => {
    if (!isRunning()) return exited;
    child.kill(signal);
    const deadline = setTimeout(() => child.kill('SIGKILL'), graceMs);
    const exit = await exited;
    clearTimeout(deadline);
    return exit;
  };
  return {
    name,
    pid,
    child,
    exited,
    isRunning,
    logs: () => kept.text,
    signal: (signal) => isRunning() && child.kill(signal),
    stop: (stopOptions = {}) => (stopping ??= stop(stopOptions)),
    async [Symbol.asyncDispose]() {
      await (stopping ??= stop({}));
    },
  };
}

function mergeEnvironment(added: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const merged: NodeJS.ProcessEnv = { ...process.env };
  for (const [key, value] of Object.entries(added)) {
    if (value === undefined) delete merged[key];
    else merged[key] = value;
  }
  return merged;
}

function collectOutput(child: ChildProcess, options: StartProcessOptions): { text: string } {
  const kept = { text: '' };
  const file = options.logFile === undefined ? undefined : createWriteStream(options.logFile, { flags: 'a' });
  const collect = (text: string): void => {
    kept.text = (kept.text + text).slice(-KEPT_LOG_CHARACTERS);
    file?.write(text);
  };
  let unfinished = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    collect(text);
    if (options.onLine === undefined) return;
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) options.onLine(line);
  });
  child.stderr?.setEncoding('utf8').on('data', collect);
  child.once('close', () => {
    if (unfinished !== '') options.onLine?.(unfinished);
    file?.end();
  });
  return kept;
}
