import { fileURLToPath } from 'node:url';

import { countForeignCores, sampleMachine } from '../../kit/machine-noise.ts';
import { startProcess } from '../../kit/start-process.ts';
import { RESULT_PREFIX } from './clients/report-result.ts';

export interface RunClientOptions {
  /** A file of `clients/`; one in Python is run with the interpreter that has the official client. */
  readonly file: string;
  readonly options: unknown;
  readonly capSeconds: number;
}

export interface ClientRun<T> {
  readonly result: T;
  /** Cores used meanwhile by anyone but this bench. */
  readonly foreignCores: number;
}

/** Runs one client in a process of its own and returns what it printed as its result. */
export async function runClient<T>({ file, options, capSeconds }: RunClientOptions): Promise<ClientRun<T>> {
  const path = fileURLToPath(new URL(`clients/${file}`, import.meta.url));
  const isPython = file.endsWith('.py');
  const results: string[] = [];
  const before = sampleMachine([process.pid]);
  await using client = await startProcess({
    command: isPython ? findPython() : process.execPath,
    args: [...(isPython ? ['-B'] : ['--conditions=lachesis-source']), path, JSON.stringify(options)],
    name: file,
    onLine: (line) => {
      if (line.startsWith(RESULT_PREFIX)) results.push(line.slice(RESULT_PREFIX.length));
    },
  });
  const closed = new Promise<void>((resolve) => client.child.once('close', () => resolve()));
  let isCapped = false;
  const cap = setTimeout(() => {
    isCapped = true;
    client.signal('SIGKILL');
  }, capSeconds * 1000);
  // The last output may arrive after the exit.
  await Promise.all([client.exited, closed]);
  clearTimeout(cap);
  const [result] = results;
  if (isCapped) throw new Error(`${file} was still running after ${capSeconds} s: ${client.logs().slice(-2000)}`);
  if (result === undefined) throw new Error(`${file} failed: ${client.logs().slice(-2000)}`);
  return { result: JSON.parse(result) as T, foreignCores: countForeignCores(before, sampleMachine([process.pid])) };
}

function findPython(): string {
  const python = process.env['LACHESIS_ENGINE_PYTHON'];
  if (python === undefined || python === '') {
    throw new Error('LACHESIS_ENGINE_PYTHON names no Python with the official client; `.ci/setup` makes one.');
  }
  return python;
}
