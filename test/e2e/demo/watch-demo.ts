import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { recordTerminal } from '../screens/record-terminal.ts';
import { createSilenceMeter } from './silence-meter.ts';
import type { DemoPlace, DemoReport } from './start-demo.ts';

const LIMIT_MS = 15 * 60_000;
const TICK_MS = 100;
const COLUMNS = 100;
/** Above the first one: what somebody sees as rising. */
const RISEN_BY = 0.2;

export interface WatchedDemo {
  readonly text: string;
  /** From typing to the end. */
  readonly seconds: number;
  /** Until a step on the screen was seen to be better than the first; undefined when none was. */
  readonly risenAfter: number | undefined;
  readonly silence: { readonly seconds: number; readonly during: string };
  readonly report: DemoReport;
}

/** Types `lachesis demo` of the installed packages into a pseudo-terminal, and looks at the screen until its end. */
export async function watchDemo(
  place: DemoPlace,
  { command, env }: { command: string; env: Readonly<Record<string, string>> },
): Promise<WatchedDemo> {
  const startedAt = performance.now();
  // Counted, not read from a clock: while the machine stands still nobody can write, and we do not count.
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), TICK_MS);
  const meter = createSilenceMeter(() => ticks * TICK_MS);
  let first: number | undefined;
  let risenAfter: number | undefined;
  try {
    await using recording = await recordTerminal({
      command: [command, 'demo'],
      ...{ columns: COLUMNS, workingDirectory: place.folder, limitMs: LIMIT_MS },
      // A key for the managed service or a server elsewhere must not matter.
      env: { ...env, LACHESIS_HOME: place.home, TINKER_BASE_URL: 'http://127.0.0.1:9', TINKER_API_KEY: 'tml-unused' },
      onText: (text) => {
        meter.see(text);
        const reward = /step +\d+\/\d+ +reward ([\d.]+)/.exec(text)?.[1];
        if (reward === undefined) return;
        first ??= Number(reward);
        if (Number(reward) >= first + RISEN_BY) risenAfter ??= (performance.now() - startedAt) / 1000;
      },
    });
    const text = recording.terminal.readText();
    const seconds = (performance.now() - startedAt) / 1000;
    return { text, seconds, risenAfter, silence: meter.read(), report: await readReport(place, text) };
  } finally {
    clearInterval(timer);
  }
}

/** What `--json` would print, from the screen and the files of the run. */
async function readReport({ folder }: DemoPlace, text: string): Promise<DemoReport> {
  const run = path.join(folder, 'lachesis-demo', 'run-1');
  const metricsFile = path.join(run, 'metrics.jsonl');
  const lines = (await readFile(metricsFile, 'utf8').catch(() => '')).split('\n');
  const steps = lines.filter((line) => line.includes('"time/step"')).map((line) => JSON.parse(line) as object);
  const [, before = '', after = ''] = text.split(/^(?:before|after)$/m);
  return {
    rewards: steps.map((step) => (step as { 'reward/mean': number })['reward/mean']),
    ...{ before: readReplies(before), after: readReplies(after), metricsFile },
    environmentFile: path.join(folder, 'lachesis-demo', 'my-digits.ts'),
    rolloutsPage: path.join(run, 'rollouts.html'),
  };
}

const readReplies = (text: string): { text: string; reward: number }[] =>
  [...text.matchAll(/ → (".*") +reward ([\d.]+)$/gm)].map(([, reply = '""', reward]) => ({
    text: JSON.parse(reply) as string,
    reward: Number(reward),
  }));
