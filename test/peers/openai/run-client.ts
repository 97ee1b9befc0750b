import { fileURLToPath } from 'node:url';

import { finishPython, runPython } from '../atropos/run-python.ts';

/** Runs a Python script of ours with the official client beside it, and returns the JSON lines it prints. */
export async function runClient(options: {
  /** Its address; `client.py` of this folder by default. */
  readonly script?: URL;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}): Promise<Record<string, unknown>[]> {
  const facts: Record<string, unknown>[] = [];
  const script = fileURLToPath(options.script ?? new URL('client.py', import.meta.url));
  const python = await runPython({
    args: [script, ...options.args],
    name: 'the Python client',
    cwd: options.cwd,
    env: { OPENAI_API_KEY: undefined, ...options.env },
    onLine: (line) => {
      if (line.startsWith('{')) facts.push(JSON.parse(line) as Record<string, unknown>);
    },
  });
  await finishPython(python, { timeoutMs: options.timeoutMs });
  return facts;
}
