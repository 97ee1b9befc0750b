import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Scenario, ScenarioContext, ScenarioLine } from './scenario.ts';
import { removeFolder } from '../kit/remove-folder.ts';

/** Of a process that was told to end before its shows had. */
export const EXIT_INTERRUPTED = 130;

export interface RunScenarioOptions {
  readonly scenario: Scenario;
  readonly full: boolean;
  readonly onLine: (line: ScenarioLine) => void;
  readonly onLog: (text: string) => void;
  /** Ends the scenario early: its cleanups run and it counts as short. */
  readonly signal?: AbortSignal;
}

/**
 * Runs one scenario and everything it deferred. Never throws: what goes wrong becomes a line that is short, and so does a scenario
 * that reports nothing, because silence is not success.
 */
export async function runScenario(options: RunScenarioOptions): Promise<readonly ScenarioLine[]> {
  const { scenario, signal } = options;
  const lines: ScenarioLine[] = [];
  const cleanups: (() => Promise<void> | void)[] = [];
  const report = (line: ScenarioLine): void => {
    lines.push(line);
    options.onLine(line);
  };
  const context: ScenarioContext = {
    full: options.full,
    report,
    reportNotRun: ({ name, why, bar }) => report({ name, figure: why, bar, ok: false, notRun: true }),
    log: options.onLog,
    scratch: async () => {
      const folder = await mkdtemp(join(tmpdir(), `lachesis-${scenario.name}-`));
      cleanups.push(() => removeFolder(folder));
      return folder;
    },
    defer: (cleanup) => {
      cleanups.push(cleanup);
    },
  };
  try {
    await Promise.race([scenario.run(context), rejectOnAbort(signal)]);
    if (lines.length === 0)
      report({ name: scenario.name, figure: 'reported nothing', bar: 'at least one line', ok: false });
  } catch (error) {
    report({ name: scenario.name, figure: `threw ${describeError(error)}`, bar: 'no error', ok: false });
    if (error instanceof Error && error.stack !== undefined) options.onLog(error.stack);
  }
  for (const cleanup of cleanups.reverse()) {
    try {
      await cleanup();
    } catch (error) {
      report({ name: scenario.name, figure: `cleanup threw ${describeError(error)}`, bar: 'no error', ok: false });
    }
  }
  return lines;
}

/** The line of a report, always exactly one: the figure of a failure may be many lines of a server's log. */
export function formatLine(line: ScenarioLine): string {
  return `${line.name}: ${flatten(line.figure)} (bar ${flatten(line.bar)}) ${verdictOf(line)}`;
}

export function verdictOf({ ok, notRun }: ScenarioLine): 'ok' | 'short' | 'not run' {
  if (notRun === true) return 'not run';
  return ok ? 'ok' : 'short';
}

function flatten(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= 600 ? flat : `${flat.slice(0, 599)}…`;
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const interrupt = (): void => reject(new Error('interrupted'));
    if (signal?.aborted === true) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
  });
}
