import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Importing torch takes ten seconds on a busy machine. */
const TIMEOUT_MS = 180_000;

/** Runs a script of this folder and reads the JSON of its last line. */
export async function runScript<T>(python: string, script: string, args: readonly string[]): Promise<T> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await run(python, ['-B', file, ...args], { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}
