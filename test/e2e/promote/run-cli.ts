import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cli } from '../capture/start-up.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** What a person types, and what it prints; with `--json` a value. */
export async function runCli(home: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, LACHESIS_HOME: home, DATABASE_URL: undefined, TINKER_BASE_URL: undefined };
  const { stdout } = await run(process.execPath, ['--conditions=lachesis-source', cli, ...words], {
    ...{ env, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', maxBuffer: 16 * 1024 * 1024 },
  });
  return stdout;
}
