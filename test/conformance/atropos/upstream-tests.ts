import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

import { finishPython, runPython } from '../../peers/atropos/run-python.ts';

/** Hard-coded in upstream's tests. */
export const UPSTREAM_PORT = 8000;

/** The test files that speak HTTP, as shipped in the wheel. */
const FILES = ['test_api_legacy.py', 'test_api_messages_handling.py', 'test_api_compression.py'];

export interface UpstreamOutcome {
  readonly tests: number;
  readonly passed: number;
  readonly output: string;
}

/** Throws when somebody listens on the port that upstream's tests insist on. */
export async function checkUpstreamPortIsFree(): Promise<void> {
  for (const host of ['127.0.0.1', '::1']) {
    if (await isListening(host, UPSTREAM_PORT)) {
      throw new Error(
        `port ${UPSTREAM_PORT} on ${host} is taken; upstream's tests hard-code http://localhost:${UPSTREAM_PORT}, so end what listens there and run this again`,
      );
    }
  }
}

/**
 * Runs the tests of the installed package, unedited. Their fixtures each try to start a `run-api` of their own on the same
 * port; it fails to bind and ends, and their readiness check finds the server that is already there.
 */
export async function runUpstreamTests(options: { cwd: string }): Promise<UpstreamOutcome> {
  const folder = await findTestsFolder(options.cwd);
  const report = join(options.cwd, 'junit.xml');
  await using pytest = await runPython({
    args: [
      ...['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--rootdir', folder, `--junitxml=${report}`],
      ...FILES.map((file) => join(folder, file)),
    ],
    name: "upstream's tests",
    cwd: options.cwd,
  });
  const timer = setTimeout(() => pytest.signal('SIGKILL'), 90_000);
  await pytest.exited;
  clearTimeout(timer);
  const suite = /<testsuite [^>]*>/.exec(await readFile(report, 'utf8').catch(() => ''))?.[0] ?? '';
  const count = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
  const tests = count('tests');
  return { tests, passed: tests - count('failures') - count('errors') - count('skipped'), output: pytest.logs() };
}

async function findTestsFolder(cwd: string): Promise<string> {
  const lines: string[] = [];
  await using python = await runPython({
    args: ['-c', 'import atroposlib, os; print(os.path.dirname(atroposlib.__file__))'],
    name: 'python',
    cwd,
    onLine: (line) => lines.push(line),
  });
  await finishPython(python, { timeoutMs: 20_000 });
  return join(lines.join('').trim(), 'tests');
}

async function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
