import { findHome } from '@lachesis/sdk/home';
import { EngineError, type EngineProgress, type PrepareEngineOptions } from '@lachesis/tinker/engine';
import { fail } from '../terminal/fail.ts';

export const homeFlag = {
  home: { type: 'string', description: 'folder of Lachesis; the engine lives in engine/ in it [LACHESIS_HOME]' },
} as const;

export const pythonFlag = {
  python: { type: 'string', description: 'a Python 3.12 to make the venv with (default: looked for)' },
} as const;

export const jsonFlag = { json: { type: 'boolean', description: 'print JSON' } } as const;

export function readHome(args: { home?: string | undefined }): string {
  return findHome(args.home);
}

/** What every making command takes: the home, the Python, progress on standard error, and Ctrl-C. */
export function readMakeOptions(args: {
  home?: string | undefined;
  python?: string | undefined;
}): PrepareEngineOptions {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => abort.abort(new Error(`ended by ${signal}`)));
  }
  return { home: readHome(args), python: args.python, onProgress: createReporter(), signal: abort.signal };
}

function createReporter(): (progress: EngineProgress) => void {
  const startedAt = performance.now();
  return ({ message }) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stderr.write(`[${String(seconds).padStart(3)} s] ${message}\n`);
  };
}

/** For `.catch`: one sentence, and what the failed program printed. */
export function failWithEngineError(error: unknown): never {
  if (!EngineError.isInstance(error)) return fail(error instanceof Error ? error.message : String(error));
  const output = error.output === undefined || error.output === '' ? '' : `\n\n${error.output}`;
  return fail(`${error.message}${output}`);
}

/** A path as a shell takes it. */
export function quotePath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
