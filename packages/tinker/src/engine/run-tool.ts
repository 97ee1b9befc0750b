import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Enough for the end of a stack trace or of a resolver's complaint. */
const KEPT_LINES = 40;

export interface ToolRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Each line of standard output and standard error, as it comes. */
  readonly onLine?: (line: string) => void;
}

export interface ToolResult {
  /** Undefined when it could not be started or was ended by a signal. */
  readonly code: number | undefined;
  /** The last lines of both outputs, in order of arrival. */
  readonly output: string;
}

export type RunTool = (call: ToolRun) => Promise<ToolResult>;

/** Runs a program to its end. Rejects only when it was aborted; a program that fails is a result. */
export const runTool: RunTool = async ({ command, args, cwd, env = process.env, signal, timeoutMs, onLine }) => {
  signal?.throwIfAborted();
  const lines: string[] = [];
  const take = (line: string): void => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    onLine?.(line);
  };
  const child = spawn(command, [...args], { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const readers = [child.stdout, child.stderr].map((stream) => createInterface({ input: stream }).on('line', take));
  const end = (): void => void child.kill('SIGTERM');
  // A program that ignores SIGTERM would hold up the person who pressed Ctrl-C.
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + 5_000);
  const deadline = setTimeout(() => {
    take(`it was ended after ${Math.round(timeoutMs / 1_000)} s`);
    end();
  }, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | undefined>((resolve) => {
      child.once('error', (error) => {
        take(error.message);
        resolve(undefined);
      });
      child.once('close', (exitCode) => resolve(exitCode ?? undefined));
    });
    signal?.throwIfAborted();
    return { code, output: lines.join('\n') };
  } finally {
    clearTimeout(deadline);
    clearTimeout(kill);
    signal?.removeEventListener('abort', end);
    for (const reader of readers) reader.close();
  }
};
