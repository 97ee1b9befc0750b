import { fileURLToPath } from 'node:url';

import { finishPython, runPython } from '../atropos/run-python.ts';

const SCRIPT = fileURLToPath(new URL('control_client.py', import.meta.url));

/** What the client does; the script says what each field means. */
export interface ControlPlan {
  readonly environment: string;
  readonly edit: readonly [field: string, value: unknown];
  readonly bad_edits: readonly (readonly [field: string, value: unknown])[];
  readonly prompts: readonly string[];
  readonly minimum_step: number;
  readonly wait_seconds: number;
}

export interface ControlFacts {
  /** What it was told, by the names the script gives. */
  readonly facts: ReadonlyMap<string, unknown>;
  /** The error it ended with; undefined when it got to its end. */
  readonly failure: string | undefined;
}

/** Runs the aiohttp client against a control server, to its end or to the first answer it cannot use. */
export async function runControlClient(options: {
  readonly url: string;
  readonly plan: ControlPlan;
  readonly cwd: string;
  readonly timeoutMs: number;
}): Promise<ControlFacts> {
  const facts = new Map<string, unknown>();
  await using python = await runPython({
    args: [SCRIPT, options.url, JSON.stringify(options.plan)],
    name: 'the aiohttp client',
    cwd: options.cwd,
    standIns: false,
    onLine: (line) => {
      if (!line.startsWith('{')) return;
      const { name, got } = JSON.parse(line) as { name: string; got: unknown };
      facts.set(name, got);
    },
  });
  try {
    await finishPython(python, { timeoutMs: options.timeoutMs });
    return { facts, failure: undefined };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { facts, failure: text.trimEnd().split('\n').at(-1) ?? text };
  }
}
