import path from 'node:path';

import { startProcess } from '../../kit/start-process.ts';

export interface ExampleRun {
  readonly code: number | null;
  /** What it printed. */
  readonly lines: readonly string[];
  readonly logs: string;
  readonly seconds: number;
}

/** A minute on an idle machine would be long. */
const TIMEOUT_MS = 180_000;

/** Runs an example as its README says: in its folder, from the built packages, with what it needs in the environment. */
export async function runExample(options: {
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<ExampleRun> {
  const { folder, env } = options;
  const lines: string[] = [];
  const startedAt = performance.now();
  await using example = await startProcess({
    name: path.basename(folder),
    command: process.execPath,
    args: ['main.ts'],
    cwd: folder,
    env: { MODEL: undefined, DATABASE_URL: undefined, LACHESIS_URL: undefined, LACHESIS_TOKEN: undefined, ...env },
    onLine: (line) => lines.push(line),
  });
  const closed = new Promise<void>((resolve) => example.child.once('close', () => resolve()));
  const timer = setTimeout(() => example.signal('SIGKILL'), TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
  const { code } = await example.exited;
  return { code, lines, logs: example.logs(), seconds: (performance.now() - startedAt) / 1000 };
}
