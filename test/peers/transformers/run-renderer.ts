import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** The interpreter of the venv that holds transformers; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findTransformersPython(): string | undefined {
  const path = process.env['LACHESIS_TRANSFORMERS_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

export interface RunRendererOptions {
  readonly python: string;
  readonly script: string;
  /** What the script reads on its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
}

/** Runs a script that reads lines and writes lines; throws with what it said when it fails. */
export async function runRenderer(options: RunRendererOptions): Promise<string[]> {
  const child = spawn(options.python, [options.script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    env: { ...process.env, HF_HUB_OFFLINE: '1', PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
  });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // A script that dies early closes the pipe; its exit code says more than the broken pipe would.
  child.stdin.on('error', (error) => (complaints += `\n${error.message}`));
  child.stdin.end(options.input);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  const how = code ?? `a signal; it may take ${options.timeoutMs / 1000} s`;
  if (code !== 0) throw new Error(`${basename(options.script)} ended with ${how}:\n${complaints}`);
  return output.split('\n').filter((line) => line !== '');
}
