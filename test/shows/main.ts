import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { listSuiteNames, loadSuite, pickShows } from './load-suites.ts';
import type { Suite } from './load-suites.ts';
import { parseShowCommand } from './parse-command.ts';
import type { ShowCommand } from './parse-command.ts';
import { formatLine, runShow, verdictOf } from './run-show.ts';
import type { Show, ShowLine } from './show.ts';

const EXIT_SHORT = 1;
const EXIT_USAGE = 2;

interface Planned {
  readonly suite: Suite;
  readonly shows: readonly Show[];
}

const testFolder = dirname(dirname(fileURLToPath(import.meta.url)));

async function main(): Promise<number> {
  const command = readCommand();
  if (command === undefined) return EXIT_USAGE;
  const known = await listSuiteNames({ testFolder, kind: command.kind });
  const unknown = command.wanted.find((pick) => !known.includes(pick.suite));
  if (unknown !== undefined) {
    process.stderr.write(
      `there is no ${command.kind} suite named ${unknown.suite}; known: ${known.join(', ') || 'none'}\n`,
    );
    return EXIT_USAGE;
  }
  const planned: Planned[] = [];
  for (const name of known) {
    if (command.wanted.length > 0 && !command.wanted.some((pick) => pick.suite === name)) continue;
    const suite = await loadSuite({ testFolder, kind: command.kind, name });
    const shows = pickShows(suite, command.wanted);
    if (shows === undefined) {
      const names = suite.shows.map((show) => `${name}/${show.name}`);
      process.stderr.write(`${name} has no such show; known: ${names.join(', ')}\n`);
      return EXIT_USAGE;
    }
    planned.push({ suite, shows });
  }
  if (command.list) {
    for (const { suite, shows } of planned) {
      for (const show of shows) process.stdout.write(`${suite.name}/${show.name}: ${show.title}\n`);
    }
    return 0;
  }
  return runPlanned(planned, command);
}

function readCommand(): ShowCommand | undefined {
  try {
    return parseShowCommand(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

async function runPlanned(planned: readonly Planned[], command: ShowCommand): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const startedAt = performance.now();
  const lines: ShowLine[] = [];
  for (const { suite, shows } of planned) {
    for (const show of shows) {
      if (interruption.signal.aborted) break;
      const name = `${suite.name}/${show.name}`;
      const showStartedAt = performance.now();
      process.stderr.write(`▸ ${name}: ${show.title}\n`);
      const reported = await runShow({
        show,
        full: command.full,
        signal: interruption.signal,
        onLine: (line) => printLine({ suite: suite.name, show: show.name, line, json: command.json }),
        onLog: (text) => process.stderr.write(`  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`),
      });
      lines.push(...reported);
      process.stderr.write(`  ${name} took ${formatSeconds(performance.now() - showStartedAt)}\n`);
    }
  }
  const count = (verdict: ReturnType<typeof verdictOf>): number =>
    lines.filter((line) => verdictOf(line) === verdict).length;
  const short = count('short');
  const notRun = count('not run');
  const summary = {
    kind: command.kind,
    ok: count('ok'),
    short,
    not_run: notRun,
    seconds: (performance.now() - startedAt) / 1000,
  };
  process.stdout.write(
    command.json
      ? `${JSON.stringify({ summary })}\n`
      : `${command.kind}: ${summary.ok} ok, ${short} short,${notRun > 0 ? ` ${notRun} not run,` : ''} ${formatSeconds(summary.seconds * 1000)}\n`,
  );
  process.off('SIGINT', interrupt);
  process.off('SIGTERM', interrupt);
  return short > 0 || lines.length === 0 || interruption.signal.aborted ? EXIT_SHORT : 0;
}

function printLine(options: { suite: string; show: string; line: ShowLine; json: boolean }): void {
  const { suite, show, line, json } = options;
  process.stdout.write(json ? `${JSON.stringify({ suite, show, ...line })}\n` : `${formatLine(line)}\n`);
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

// A show that leaves a timer or a socket behind must not keep the suite from ending with its verdict.
process.exit(await main());
