import { LachesisError } from '@lachesis/protocol';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Program } from './program.ts';

const run = promisify(execFile);
const MOST_OUTPUT_BYTES = 64 * 1024 ** 2;
/** Every call of the control API answers within 25 seconds. */
const COMMAND_MS = 20_000;
const LONGEST_LINE = 500;

/** Runs a command of this program that prints JSON: what it loads, it loads in a process of its own. */
export async function readCommandJson(
  program: Program,
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<unknown> {
  try {
    const { stdout } = await run(program.file, [...program.arguments, ...given], {
      env: { ...env },
      maxBuffer: MOST_OUTPUT_BYTES,
      timeout: COMMAND_MS,
    });
    return JSON.parse(stdout);
  } catch (cause) {
    const command = `lachesis ${given.join(' ')}`;
    throw new LachesisError({
      code: 'unavailable',
      message: `\`${command}\` ${describeEnd(cause)}`,
      hint: 'Run it where the control server was started to see all it says.',
      cause,
    });
  }
}

/** The line with the error, as Node and our own commands print it. */
function describeEnd(cause: unknown): string {
  const { killed, stderr } = cause as { killed?: boolean; stderr?: string };
  if (killed === true) return `took longer than ${COMMAND_MS / 1000} s`;
  const lines = (stderr ?? '').split('\n').filter((line) => line.trim() !== '');
  const said = lines.find((line) => /^\w*Error\b|^lachesis: /.test(line)) ?? lines.at(-1);
  return said === undefined ? 'gave no JSON' : `failed: ${said.trim().slice(0, LONGEST_LINE)}`;
}
