import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { listSuiteNames, loadSuite, pickScenarios } from './load-suites.ts';
import type { Suite } from './load-suites.ts';
import { judgeScenario, measureScenario } from './measure-scenario.ts';
import { parseScenarioCommand } from './parse-command.ts';
import type { ScenarioCommand } from './parse-command.ts';
import { EXIT_INTERRUPTED, formatLine, verdictOf } from './run-scenario.ts';
import type { Scenario, ScenarioLine } from './scenario.ts';

const EXIT_SHORT = 1;
const EXIT_USAGE = 2;

interface Planned {
  readonly suite: Suite;
  readonly scenarios: readonly Scenario[];
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
    const scenarios = pickScenarios(suite, command.wanted);
    if (scenarios === undefined) {
      const names = suite.scenarios.map((scenario) => `${name}/${scenario.name}`);
      process.stderr.write(`${name} has no such show; known: ${names.join(', ')}\n`);
      return EXIT_USAGE;
    }
    planned.push({ suite, scenarios });
  }
  if (command.list) {
    for (const { suite, scenarios } of planned) {
      for (const scenario of scenarios) process.stdout.write(`${suite.name}/${scenario.name}: ${scenario.title}\n`);
    }
    return 0;
  }
  return runPlanned(planned, command);
}

function readCommand(): ScenarioCommand | undefined {
  try {
    return parseScenarioCommand(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

async function runPlanned(planned: readonly Planned[], command: ScenarioCommand): Promise<number> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const startedAt = performance.now();
  const lines: ScenarioLine[] = [];
  for (const { suite, scenarios } of planned) {
    for (const scenario of scenarios) {
      if (interruption.signal.aborted) break;
      const name = `${suite.name}/${scenario.name}`;
      const scenarioStartedAt = performance.now();
      process.stderr.write(`▸ ${name}: ${scenario.title}\n`);
      const run = command.kind === 'bench' ? measureScenario : judgeScenario;
      const reported = await run({
        scenario,
        full: command.full,
        signal: interruption.signal,
        onLine: (line) => printLine({ suite: suite.name, scenario: scenario.name, line, json: command.json }),
        onLog: (text) => process.stderr.write(`  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`),
      });
      lines.push(...reported);
      process.stderr.write(`  ${name} took ${formatSeconds(performance.now() - scenarioStartedAt)}\n`);
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
  if (interruption.signal.aborted) return EXIT_INTERRUPTED;
  return short > 0 || lines.length === 0 ? EXIT_SHORT : 0;
}

function printLine(options: { suite: string; scenario: string; line: ScenarioLine; json: boolean }): void {
  const { suite, scenario, line, json } = options;
  process.stdout.write(json ? `${JSON.stringify({ suite, show: scenario, ...line })}\n` : `${formatLine(line)}\n`);
}

function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

// A scenario that leaves a timer or a socket behind must not keep the suite from ending with its verdict.
process.exit(await main());
