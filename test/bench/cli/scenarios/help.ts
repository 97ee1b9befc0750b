import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const CLI = fileURLToPath(new URL('../../../../packages/cli/dist/main.js', import.meta.url));
const TIMES = 15;
const MAX_MS = 150;

const run = promisify(execFile);

/** `pnpm bench cli/help`. */
export const helpScenario: Scenario = {
  name: 'help',
  title: `\`lachesis --help\` of the built package in ${MAX_MS} ms`,
  async run(context) {
    if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run \`pnpm build\` first`);
    const { stdout } = await run(process.execPath, [CLI, '--help']);
    const empty = await context.scratch();
    await waitForCalm(context.full);
    // What Node itself takes is part of the figure; it is told so that a slow machine is seen.
    const node = await measure(['-e', '0'], empty);
    const help = await measure([CLI, '--help'], empty);
    const median = findMedian(help);
    context.report({
      name: 'help',
      figure: `${median.toFixed(0)} ms, median of ${TIMES} (${Math.min(...help).toFixed(0)} to ${Math.max(...help).toFixed(0)}; an empty Node program ${findMedian(node).toFixed(0)} ms)`,
      bar: `≤ ${MAX_MS} ms, and it names the commands`,
      ok: median <= MAX_MS && ['train', 'serve', 'runs'].every((name) => stdout.includes(name)),
    });
    // As a library does that asks each command for its description.
    const eager = `
      const { mainCommand } = await import(${JSON.stringify(new URL('main-command.js', pathToFileURL(CLI)).href)});
      await Promise.all(Object.values(mainCommand.subCommands).map((load) => (typeof load === 'function' ? load() : load)));`;
    const slow = findMedian(await measure(['--input-type=module', '-e', eager], empty, 3));
    context.report({
      name: 'help mutant: a program that loads every command',
      figure: `${slow > MAX_MS ? 'caught' : 'not noticed'}, ${slow.toFixed(0)} ms`,
      bar: 'caught',
      ok: slow > MAX_MS,
    });
  },
};

async function measure(args: readonly string[], cwd: string, times = TIMES): Promise<number[]> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedAt = performance.now();
    await run(process.execPath, args, { cwd });
    taken.push(performance.now() - startedAt);
  }
  return taken;
}
