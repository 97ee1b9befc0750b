import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { HelperProcess } from './wandb-sink.ts';
import { WANDB_HELPER } from './wandb-helper.ts';

/** Starts the Python side of the W&B sink. Its own words go to our standard error. */
export function startWandbHelper(python: string): HelperProcess {
  const child = spawn(python, ['-u', '-c', WANDB_HELPER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  // A helper that is gone cannot be written to; the first line, or its absence, tells.
  child.stdin.on('error', () => undefined);
  const firstLine = new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error(`the W&B helper (${python}) ended without a word`)));
    child.once('error', reject);
  });
  return {
    write: (line) => void child.stdin.write(`${line}\n`),
    firstLine,
    async end(timeoutMs) {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGTERM'), timeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
