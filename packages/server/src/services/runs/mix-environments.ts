import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from './programs/program.ts';
import { decideRestart } from './supervisor/decide-restart.ts';

export interface MixEnvironmentsOptions {
  /** Each with the words of its command; its name goes before its lines. */
  environments: readonly { name: string; arguments: readonly string[] }[];
  program: Program;
  env: Readonly<Record<string, string | undefined>>;
  /** Asks all to end in order. */
  signal: AbortSignal;
  onLine: (line: string) => void;
  /** The pause after the first death of an environment; it doubles with each. */
  firstPauseMs?: number | undefined;
}

/** Shorter than the grace of the supervisor, which would end all at once. */
const GRACE_MS = 10_000;
const LAST_LINES_MS = 1_000;

/**
 * Runs several environments, each in a process of its own, until all have ended: then the code is 0. One that dies is
 * started again; the code of one that refuses or dies too often is that of all, and the others are ended.
 */
export async function mixEnvironments(options: MixEnvironmentsOptions): Promise<number> {
  const failed = new AbortController();
  const ending = AbortSignal.any([options.signal, failed.signal]);
  const codes = await Promise.all(
    options.environments.map(async (environment) => {
      const code = await runOne({ ...options, environment, ending });
      if (code !== 0) failed.abort();
      return code;
    }),
  );
  // Those that were ended because of it have 0.
  return codes.find((code) => code !== 0) ?? 0;
}

type OneOptions = Omit<MixEnvironmentsOptions, 'environments' | 'signal'> & {
  environment: MixEnvironmentsOptions['environments'][number];
  ending: AbortSignal;
};

/** 0 when it has nothing more to do or was asked to end. */
async function runOne(options: OneOptions): Promise<number> {
  const { environment, ending, onLine, firstPauseMs } = options;
  let deaths: readonly number[] = [];
  while (!ending.aborted) {
    const { code, reason } = await startOne(options);
    if (code === 0 || ending.aborted) return 0;
    const now = performance.now();
    const decision = decideRestart({ deaths, now, code, ...(firstPauseMs === undefined ? {} : { firstPauseMs }) });
    deaths = decision.deaths;
    if (decision.kind === 'give-up') {
      onLine(`${environment.name}: ended (${reason}) and is not started again`);
      return code ?? 1;
    }
    onLine(`${environment.name}: ended (${reason}) and is started again`);
    await sleep(decision.startAfter - now, undefined, { signal: ending }).catch(() => undefined);
  }
  return 0;
}

/** One life of one environment. It has a channel, so that it ends with this process, however that ends. */
async function startOne(options: OneOptions): Promise<{ code: number | null; reason: string }> {
  const { program, environment, env, ending, onLine } = options;
  const child = spawn(program.file, [...program.arguments, ...environment.arguments], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const lines = [child.stdout, child.stderr].map(
    (input) =>
      new Promise<void>((resolve) => {
        if (input === null) return resolve();
        createInterface({ input })
          .on('line', (line) => onLine(`${environment.name}: ${line}`))
          .once('close', resolve);
      }),
  );
  const end = endInOrder(child);
  ending.addEventListener('abort', end.ask, { once: true });
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve({ code: null, reason: error.message }));
      child.once('exit', (code, signal) => {
        // What it started may hold its output open without it.
        const said = Promise.race([Promise.all(lines), sleep(LAST_LINES_MS)]);
        void said.then(() => resolve({ code, reason: signal ?? `exit code ${code}` }));
      });
    });
  } finally {
    end.settle();
    ending.removeEventListener('abort', end.ask);
  }
}

function endInOrder(child: ChildProcess): { ask: () => void; settle: () => void } {
  let hardEnd: NodeJS.Timeout | undefined;
  return {
    ask: () => {
      child.kill('SIGTERM');
      hardEnd = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    },
    settle: () => clearTimeout(hardEnd),
  };
}
