import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('drive_hermes.py', import.meta.url));

/** The interpreter of the venv that holds hermes-agent; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findHermesPython(): string | undefined {
  const path = process.env['LACHESIS_HERMES_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

export interface HermesJob {
  /** A folder of its own, which becomes `HERMES_HOME`. */
  readonly home: string;
  /** Where the scripted model answers. */
  readonly base_url: string;
  readonly conversations?: readonly { readonly id: string; readonly questions: readonly unknown[] }[];
  /** How many of the conversations are sessions of their own in Hermes' database. */
  readonly sessions?: number;
  readonly lists?: readonly {
    readonly id: string;
    readonly messages: readonly unknown[];
    readonly query: string;
    readonly completed: boolean;
  }[];
  /** Prompts for its batch runner: each a line of a data set. */
  readonly prompts?: readonly { readonly prompt: string }[];
  readonly ours?: { readonly file: string; readonly batch_folder: string; readonly target: number };
}

export interface RunHermesOptions {
  readonly python: string;
  readonly job: HermesJob;
  readonly timeoutMs: number;
}

/** Hands a job to the real Hermes and gives back its answers, one JSON value a line. */
export async function runHermes({ python, job, timeoutMs }: RunHermesOptions): Promise<unknown[]> {
  const child = spawn(python, [SCRIPT], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    // No settings, keys or proxies of the person who runs this: it speaks to the scripted model alone.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: job.home,
      HERMES_HOME: job.home,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONUTF8: '1',
      NO_PROXY: '*',
      HF_HUB_OFFLINE: '1',
    },
  });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-8_000)));
  // A script that dies early closes the pipe; its exit code says more than the broken pipe would.
  child.stdin.on('error', (error) => (complaints += `\n${error.message}`));
  child.stdin.end(JSON.stringify(job));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${SCRIPT} ended with ${code ?? 'a signal'}:\n${complaints}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
