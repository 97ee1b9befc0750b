import type { Sandbox } from '@lachesis/sdk/sandbox';
import { isDeepStrictEqual } from 'node:util';
import { writeFiles } from '../work-folder/write-files.ts';
import { javaScriptDriver, pythonDriver } from './drivers.ts';
import { fileOf, type RepairCase, type RepairTask } from './repair-task.ts';
import { stripTypes } from './strip-types.ts';

/** All calls of a task together; references take milliseconds, and a busy machine must not cost an honest one its reward. */
const CASES_MS = 30_000;
const OUTPUT_BYTES = 256 * 1024;

/** A program that can be put into a sandbox and called; undefined where the text cannot be one. */
export async function buildProgram(
  task: RepairTask,
  text: string,
): Promise<{ file: string; text: string; command: string[] } | undefined> {
  if (text.includes('\0')) return undefined;
  const file = fileOf(task);
  if (task.language === 'python') {
    return { file, text, command: pythonDriver(file.replace(/\.py$/, ''), task.entry) };
  }
  const stripped = await stripTypes(text);
  const built = file.replace(/\.ts$/, '.mjs');
  return stripped === undefined
    ? undefined
    : { file: built, text: stripped, command: javaScriptDriver(built, task.entry) };
}

/** How many of the cases come out right, called in a sandbox and compared here. */
export async function runCases(
  sandbox: Sandbox,
  program: { readonly file: string; readonly text: string; readonly command: readonly string[] },
  cases: readonly RepairCase[],
  signal: AbortSignal,
): Promise<number> {
  await writeFiles(sandbox, { [program.file]: program.text });
  const run = await sandbox.exec(program.command, {
    input: JSON.stringify(cases.map(({ args }) => args)),
    timeoutMs: CASES_MS,
    outputBytes: OUTPUT_BYTES,
    signal,
  });
  if (run.end !== 'exited' || run.exitCode !== 0) return 0;
  const results = readResults(run.stdout);
  if (results.length !== cases.length) return 0;
  return cases.filter(({ expected }, at) => isDeepStrictEqual(results[at], expected)).length;
}

function readResults(stdout: string): readonly unknown[] {
  try {
    const results: unknown = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    return Array.isArray(results) ? results : [];
  } catch {
    // What the code under repair printed is no list: it has not answered.
    return [];
  }
}
