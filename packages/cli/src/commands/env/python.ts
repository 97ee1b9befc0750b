import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fail } from '../../terminal/fail.ts';
import { addCredentials } from './python-credentials.ts';

/**
 * Starts a Python environment as it starts itself: `python file.py serve --env.…`. The Python is the one in
 * LACHESIS_ATROPOS_PYTHON, or `python3`; it must have atroposlib. Gives its exit code.
 */
export async function runPythonEnvironment({
  file,
  mode,
  argv,
  signal,
}: {
  file: string;
  mode: string;
  argv: readonly string[];
  signal: AbortSignal;
}): Promise<number> {
  const python = process.env['LACHESIS_ATROPOS_PYTHON'] ?? 'python3';
  await using given = await addCredentials(argv, { token: process.env['LACHESIS_TOKEN'] });
  const child = spawn(python, [file, mode, ...given.argv], { stdio: 'inherit' });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  child.once('error', (error: NodeJS.ErrnoException) => {
    fail(
      `${python} cannot be started (${error.code ?? error.message}). Set LACHESIS_ATROPOS_PYTHON to a Python with atroposlib.`,
    );
  });
  const [code, endedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  signal.removeEventListener('abort', stop);
  return endedBy === null ? (code ?? 1) : 1;
}
