import path from 'node:path';
import { startProcess, type RunningProcess } from '../../kit/start-process.ts';

const cli = path.resolve(import.meta.dirname, '../../../packages/cli/src/main.ts');

/** What `lachesis demo --json` prints, as far as it is looked at. */
export interface DemoReport {
  readonly rewards: readonly number[];
  readonly before: readonly { readonly text: string; readonly reward: number }[];
  readonly after: readonly { readonly text: string; readonly reward: number }[];
  readonly environmentFile: string;
  readonly rolloutsPage: string;
  readonly metricsFile: string;
}

export interface DemoPlace {
  readonly home: string;
  /** Where it is typed. */
  readonly folder: string;
}

export interface DemoEnd {
  readonly code: number | null;
  readonly seconds: number;
  readonly report: DemoReport | undefined;
  readonly output: string;
}

/** Longer than the bar: a demo that takes this long hangs. */
const LONGEST_MS = 15 * 60_000;

/** Types `lachesis demo` in a folder. A key for the managed service or a server elsewhere must not matter, so both are set. */
export function startDemo({ home, folder }: DemoPlace, onLine?: (line: string) => void): Promise<RunningProcess> {
  return startProcess({
    name: 'lachesis demo',
    command: process.execPath,
    args: ['--conditions=lachesis-source', cli, 'demo', '--json'],
    cwd: folder,
    env: { LACHESIS_HOME: home, TINKER_BASE_URL: 'http://127.0.0.1:9', TINKER_API_KEY: 'tml-not-to-be-used' },
    ...(onLine === undefined ? {} : { onLine }),
  });
}

export async function runDemo(place: DemoPlace): Promise<DemoEnd> {
  const startedAt = performance.now();
  let report: DemoReport | undefined;
  await using demo = await startDemo(place, (line) => {
    if (line.startsWith('{')) report = JSON.parse(line) as DemoReport;
  });
  const closed = new Promise<void>((resolve) => demo.child.once('close', () => resolve()));
  const timer = setTimeout(() => void demo.stop({ graceMs: 60_000 }), LONGEST_MS);
  const { code } = await demo.exited;
  await closed;
  clearTimeout(timer);
  return { code, seconds: (performance.now() - startedAt) / 1000, report, output: demo.logs() };
}
