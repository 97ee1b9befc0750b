import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const KEPT_COMPLAINT = 8_000;

export interface RunScriptOptions {
  /** A file of this folder. */
  readonly script: string;
  readonly python: string;
  /** Handed to the script as JSON on its standard input; `home` becomes `HERMES_HOME`. */
  readonly job: { readonly home: string };
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Told the pid as soon as there is one, for those who measure. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/** Runs a script with the real Hermes to its end; gives back its standard output. */
export async function runScript({ script, python, job, timeoutMs, env, onStart }: RunScriptOptions): Promise<string> {
  const child = spawn(python, [fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    // No settings, keys or proxies of the person who runs this: it speaks to the scripted model alone.
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: job.home, HERMES_HOME: job.home, NO_PROXY: '*' },
      ...{ PYTHONUTF8: '1', HF_HUB_OFFLINE: '1' },
      ...env,
    },
  });
  if (child.pid !== undefined) onStart?.(child.pid);
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr
    .setEncoding('utf8')
    .on('data', (text: string) => (complaints = (complaints + text).slice(-KEPT_COMPLAINT)));
  // A script that dies early closes the pipe; its exit code says more than the broken pipe would.
  child.stdin.on('error', (error) => (complaints += `\n${error.message}`));
  child.stdin.end(JSON.stringify(job));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) {
    throw new Error(`${script} ended with ${code ?? 'a signal'}:\n${output.slice(-KEPT_COMPLAINT)}${complaints}`);
  }
  return output;
}

/** Answers of a script that prints one JSON value a line. */
export const readAnswers = <T>(output: string): T[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
