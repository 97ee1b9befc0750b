import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { EXIT_INTERRUPTED } from '../scenarios/run-scenario.ts';
import type { ScenarioLine } from '../scenarios/scenario.ts';
import type { Show } from './plan-shows.ts';

const SCENARIOS = fileURLToPath(new URL('../scenarios/main.ts', import.meta.url));
/** The longest form takes about an hour. */
const LONGEST_MS = 3 * 3600 * 1000;

/** The long form of one show in a process of its own. Interrupted, by us or in that process, it has no lines: it is run again. */
export async function runShow(
  show: Show,
  signal: AbortSignal,
  program = SCENARIOS,
): Promise<{ lines: ScenarioLine[]; seconds: number }> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--conditions=lachesis-source', program, show.kind, show.name, '--full', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  let isTooLong = false;
  const timer = setTimeout(() => {
    isTooLong = true;
    end();
  }, LONGEST_MS);
  const lines: ScenarioLine[] = [];
  const closed = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  for await (const text of createInterface({ input: child.stdout })) {
    const line = readLine(text);
    if (line !== undefined) lines.push(line);
  }
  const code = await closed;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (signal.aborted || (code === EXIT_INTERRUPTED && !isTooLong)) return { lines: [], seconds };
  if (lines.length === 0) lines.push({ name: show.name, figure: 'said nothing', bar: 'at least one line', ok: false });
  return { lines, seconds };
}

function readLine(text: string): ScenarioLine | undefined {
  if (!text.startsWith('{')) return undefined;
  const { name, figure, bar, ok, notRun } = JSON.parse(text) as Partial<ScenarioLine>;
  if (name === undefined || figure === undefined || bar === undefined || ok === undefined) return undefined;
  return { name, figure, bar, ok, ...(notRun === true ? { notRun } : {}) };
}
