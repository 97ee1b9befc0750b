import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { decideRestart } from './supervisor/decide-restart.ts';
import { REFUSED_EXIT_CODE } from '../../http/settings/setting-error.ts';

export interface KeptProcessOptions {
  /** For messages: `trainer`. */
  name: string;
  file: string;
  arguments: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  logPath: string;
  /** Where it works; here when absent. */
  workingDirectory?: string | undefined;
  /** Each line of its standard output, besides the log. */
  onLine?: ((line: string) => void) | undefined;
  /** Told when it died and is started again. */
  onRestart: (name: string, death: string) => void;
}

/** A process that is started again when it dies, until it is stopped. */
export interface KeptProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when it has ended by itself with code 0; rejects when it dies again and again, or says it can never start. */
  readonly ended: Promise<void>;
  /** Asks it to end, waits, and then insists. May be called twice. */
  stop(graceMs: number): Promise<void>;
  /** Ends it and what it started at once, with nothing saved. */
  kill(): void;
}

/** Shorter than a supervisor's: somebody waits at the terminal. */
const FIRST_PAUSE_MS = 500;

export function superviseProcess(options: KeptProcessOptions): KeptProcess {
  mkdirSync(dirname(options.logPath), { recursive: true });
  const end = Promise.withResolvers<void>();
  end.promise.catch(() => undefined);
  let deaths: readonly number[] = [];
  let child: ChildProcess | undefined;
  let isStopping = false;

  function start(): void {
    if (isStopping) return end.resolve();
    const log = createWriteStream(options.logPath, { flags: 'a' });
    const started = spawn(options.file, [...options.arguments], {
      // Nothing is said over the channel. It closes when we are gone, however we went, and then they end themselves.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      cwd: options.workingDirectory,
      // A group of its own: a Ctrl-C in the terminal reaches the one who started it, and that one ends them in order.
      detached: true,
      env: { ...process.env, ...options.env },
    });
    child = started;
    started.stdout?.pipe(log, { end: false });
    started.stderr?.pipe(log, { end: false });
    if (options.onLine !== undefined && started.stdout !== null)
      createInterface({ input: started.stdout }).on('line', options.onLine);
    started.once('error', (error) => end.reject(error));
    started.once('close', (code, signal) => {
      log.end();
      child = undefined;
      if (isStopping || code === 0) return end.resolve();
      const now = performance.now();
      const decision = decideRestart({ deaths, now, code, firstPauseMs: FIRST_PAUSE_MS });
      deaths = decision.deaths;
      const death = signal ?? `exit code ${code}`;
      if (decision.kind === 'give-up') {
        const what =
          code === REFUSED_EXIT_CODE
            ? 'cannot start with what it was given'
            : `ended ${deaths.length} times (${death})`;
        return end.reject(new Error(`the ${options.name} ${what}; its log is ${options.logPath}`));
      }
      options.onRestart(options.name, death);
      setTimeout(start, decision.startAfter - now);
    });
  }
  start();

  function kill(): void {
    isStopping = true;
    if (child?.pid === undefined) return end.resolve();
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      // It ended by itself a moment ago.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  return {
    name: options.name,
    get pid() {
      return child?.pid;
    },
    ended: end.promise,
    async stop(graceMs) {
      isStopping = true;
      if (child === undefined) end.resolve();
      child?.kill('SIGTERM');
      const timer = setTimeout(kill, graceMs);
      await end.promise.catch(() => undefined);
      clearTimeout(timer);
    },
    kill,
  };
}
