import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { findFreePort } from '../../kit/find-free-port.ts';
import { startProcess } from '../../kit/start-process.ts';
import { readGuide } from './read-guide.ts';

const PAGE = fileURLToPath(new URL('../../../docs/guides/learn-from-feedback.md', import.meta.url));
const CLI = fileURLToPath(new URL('../../../packages/cli/src/main.ts', import.meta.url));
const TIMEOUT_MS = 600_000;

export interface FollowedGuide {
  readonly commands: number;
  readonly output: string;
}

/**
 * Follows the page to the letter in an empty folder, with two things changed: the engine is the one of the test, since
 * making one takes minutes, and the port is one that is free.
 */
export async function followGuide(options: {
  folder: string;
  engineUrl: string;
  log: (text: string) => void;
}): Promise<FollowedGuide> {
  const { folder, engineUrl, log } = options;
  const port = String(await findFreePort());
  const { files, commands } = readGuide((await readFile(PAGE, 'utf8')).replaceAll('8001', port));
  const work = path.join(folder, 'work');
  const programs = path.join(folder, 'bin');
  await mkdir(work);
  await mkdir(programs);
  for (const [name, text] of files) await writeFile(path.join(work, name), text);
  const program = path.join(programs, 'lachesis');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" --conditions=lachesis-source "${CLI}" "$@"\n`);
  await chmod(program, 0o755);
  const typed = commands.filter((command) => command !== 'lachesis engine up');
  const script = ['set -e', "trap 'kill $(jobs -p)' EXIT", ...typed].join('\n');
  const lines: string[] = [];
  await using shell = await startProcess({
    name: 'the guide',
    command: 'bash',
    args: ['-c', script],
    cwd: work,
    env: {
      ...{ PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
      ...{ LACHESIS_HOME: path.join(folder, 'home'), DATABASE_URL: undefined, LACHESIS_CONTROL_URL: undefined },
      ...{ TINKER_BASE_URL: engineUrl, TINKER_API_KEY: 'tml-none' },
    },
    onLine: (line) => {
      lines.push(line);
      log(`  ${line}`);
    },
  });
  const timer = setTimeout(() => shell.signal('SIGTERM'), TIMEOUT_MS);
  const { code, signal } = await shell.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the guide ended with ${signal ?? `code ${code}`}:\n${shell.logs()}`);
  return { commands: typed.length, output: lines.join('\n') };
}
