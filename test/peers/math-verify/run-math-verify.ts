import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface MathPair {
  readonly expected: string;
  readonly reply: string;
}

/** The interpreter of the venv that holds math_verify; made by .ci/setup, named by .ci/env.sh. Undefined without one. */
export function findMathVerifyPython(): string | undefined {
  const path = process.env['LACHESIS_MATH_VERIFY_PYTHON'];
  return path !== undefined && existsSync(path) ? path : undefined;
}

/** A thousand pairs take about twenty seconds; some of sympy's simplifications take their five. */
const TIMEOUT_MS = 600_000;

/** What the real library says about each pair, in order. */
export async function runMathVerify(python: string, pairs: readonly MathPair[]): Promise<boolean[]> {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'grade_pairs.py');
  const child = spawn(python, [script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', PYTHONHASHSEED: '0' },
  });
  let output = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // A script that dies early closes the pipe; its exit code says more than the broken pipe would.
  child.stdin.on('error', (error) => (complaints += `\n${error.message}`));
  child.stdin.end(pairs.map(({ expected, reply }) => `${JSON.stringify({ expected, reply })}\n`).join(''));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`${script} ended with ${code ?? 'a signal'}:\n${complaints}`);
  const verdicts = output.split('\n').filter((line) => line !== '');
  if (verdicts.length !== pairs.length) throw new Error(`${pairs.length} pairs, ${verdicts.length} verdicts`);
  return verdicts.map((line) => (JSON.parse(line) as { same: boolean }).same);
}
