import { fileURLToPath } from 'node:url';

import { startProcess } from '../../kit/start-process.ts';

/** Begins the one line of a generator's output that is its result. */
export const RESULT_PREFIX = 'RESULT ';

export interface RunGeneratorOptions {
  /** The generator's entry file. */
  readonly entry: URL;
  /** Given to it as JSON in its first argument. */
  readonly options: unknown;
  /** It is killed after this long, whatever it does. */
  readonly capSeconds: number;
}

/** Runs a load generator in a process of its own and returns the result it printed. */
export async function runGenerator(options: RunGeneratorOptions): Promise<unknown> {
  const results: string[] = [];
  await using generator = await startProcess({
    command: process.execPath,
    args: ['--conditions=lachesis-source', fileURLToPath(options.entry), JSON.stringify(options.options)],
    name: 'load generator',
    onLine: (line) => {
      if (line.startsWith(RESULT_PREFIX)) results.push(line.slice(RESULT_PREFIX.length));
    },
  });
  let isCapped = false;
  const cap = setTimeout(() => {
    isCapped = true;
    generator.signal('SIGKILL');
  }, options.capSeconds * 1000);
  const closed = new Promise<void>((resolve) => generator.child.once('close', () => resolve()));
  const { code } = await generator.exited;
  // The last output may arrive after the exit.
  await closed;
  clearTimeout(cap);
  const result = results.at(-1);
  if (isCapped) throw new Error(`the load generator was still running after ${options.capSeconds} s`);
  if (code !== 0 || result === undefined)
    throw new Error(`the load generator failed: ${generator.logs().slice(-2000)}`);
  // JSON has no NaN and writes null for it; no result holds a null of its own.
  return JSON.parse(result, (_key, value: unknown) => (value === null ? Number.NaN : value)) as unknown;
}
