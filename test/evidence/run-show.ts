import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { ScenarioLine } from '../scenarios/scenario.ts';
import type { Show } from './plan-shows.ts';

const SCENARIOS = fileURLToPath(new URL('../scenarios/main.ts', import.meta.url));
/** The longest form takes about an hour. */
const LONGEST_MS = 3 * 3600 * 1000;

/** The long form of one show in a process of its own. An interrupted show has no lines: it is run again. */
export async function runShow(show: Show, signal: AbortSignal): Promise<{ lines: ScenarioLine[]; seconds: number }> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    ['--conditions=lachesis-source', SCENARIOS, show.kind, show.name, '--full', '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const end = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, LONGEST_MS);
  const lines: ScenarioLine[] = [];
  const closed = new Promise<void>((resolve, reject) => child.once('close', () => resolve()).once('error', reject));
  for await (const text of createInterface({ input: child.stdout })) {
    const line = readLine(text);
    if (line !== undefined) lines.push(line);
  }
  await closed;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  if (lines.length === 0 && !signal.aborted)
    lines.push({ name: show.name, figure: 'said nothing', bar: 'at least one line', ok: false });
  return { lines: signal.aborted ? [] : lines, seconds };
}

function readLine(text: string): ScenarioLine | undefined {
  if (!text.startsWith('{')) return undefined;
  const { name, figure, bar, ok, notRun } = JSON.parse(text) as Partial<ScenarioLine>;
  if (name === undefined || figure === undefined || bar === undefined || ok === undefined) return undefined;
  return { name, figure, bar, ok, ...(notRun === true ? { notRun } : {}) };
}
