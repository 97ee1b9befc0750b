import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));

/** A command that takes longer has hung; a training with a cold compile cache on a busy machine takes two minutes. */
const TIMEOUT_MS = 300_000;

export interface RunLachesisOptions {
  readonly home: string;
  readonly engineUrl: string;
  readonly args: readonly string[];
  /** Exit codes that are no failure; 0 alone by default. */
  readonly codes?: readonly number[];
  /** The process is killed with -9 when a line of its standard error begins so. */
  readonly killAt?: string;
  readonly onLine?: (line: string) => void;
}

export interface LachesisRun {
  readonly stdout: string;
  readonly isKilled: boolean;
  /** Null when it was killed. */
  readonly code: number | null;
  /** From its start to its end. */
  readonly runMs: number;
}

/** One command as a person types it, in a home. */
export async function runLachesis(options: RunLachesisOptions): Promise<LachesisRun> {
  const { home, engineUrl, args, codes = [0], killAt, onLine } = options;
  const out: string[] = [];
  let isKilled = false;
  const started = performance.now();
  await using running = await startProcess({
    name: `lachesis ${args.slice(0, 2).join(' ')}`,
    command: process.execPath,
    args: ['--conditions=lachesis-source', CLI, ...args, '--home', home],
    cwd: home,
    env: {
      ...{ DATABASE_URL: undefined, LACHESIS_TOKEN: undefined, LACHESIS_CONTROL_URL: undefined },
      ...{ TINKER_BASE_URL: engineUrl, TINKER_API_KEY: 'tml-none' },
    },
    onLine: (line) => out.push(line),
  });
  let rest = '';
  running.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      onLine?.(line);
      if (killAt !== undefined && !isKilled && line.startsWith(killAt)) isKilled = running.signal('SIGKILL');
    }
  });
  const timer = setTimeout(() => running.signal('SIGKILL'), TIMEOUT_MS);
  const closed = new Promise<void>((resolve) => running.child.once('close', () => resolve()));
  const { code, signal } = await running.exited;
  await closed;
  clearTimeout(timer);
  if (!isKilled && (code === null || !codes.includes(code))) {
    throw new Error(`lachesis ${args.join(' ')} ended with ${signal ?? `code ${code}`}:\n${running.logs()}`);
  }
  return { stdout: out.join('\n'), isKilled, code, runMs: performance.now() - started };
}
