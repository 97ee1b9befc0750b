import { runScenario, verdictOf } from './run-scenario.ts';
import type { RunScenarioOptions } from './run-scenario.ts';
import type { ScenarioLine } from './scenario.ts';

/**
 * Runs a scenario that is judged by a clock. What is short is measured a second time, since a moment of somebody else's work is no
 * finding; the second try decides, and each of its lines that was short before says so. A slow thing is short twice.
 */
export async function measureScenario(options: RunScenarioOptions): Promise<readonly ScenarioLine[]> {
  const first = await runScenario({ ...options, onLine: () => {} });
  const short = first.filter((line) => verdictOf(line) === 'short');
  if (short.length === 0 || options.signal?.aborted === true) {
    for (const line of first) options.onLine(line);
    return first;
  }
  for (const { name, figure } of short) options.onLog(`short at the first try: ${name}: ${figure}`);
  const second: ScenarioLine[] = [];
  await runScenario({
    ...options,
    onLine: (line) => {
      const told = tellFirst(short, line);
      second.push(told);
      options.onLine(told);
    },
  });
  return second;
}

/**
 * Runs a scenario that is judged by what it finds. Lines that are short for nothing but the time something took are held back, and measured
 * a second time unless another line is short: that one has found something.
 */
export async function judgeScenario(options: RunScenarioOptions): Promise<readonly ScenarioLine[]> {
  const isLate = (line: ScenarioLine): boolean => verdictOf(line) === 'short' && line.onlyByClock === true;
  const first = await runScenario({ ...options, onLine: (line) => isLate(line) || options.onLine(line) });
  const late = first.filter((line) => isLate(line));
  const isFound = first.some((line) => verdictOf(line) === 'short' && !isLate(line));
  if (late.length === 0 || isFound || options.signal?.aborted === true) {
    for (const line of late) options.onLine(line);
    return first;
  }
  for (const { name, figure } of late) options.onLog(`late at the first try: ${name}: ${figure}`);
  const second: ScenarioLine[] = [];
  await runScenario({
    ...options,
    onLine: (line) => {
      const told = tellFirst(late, line);
      if (told === line && verdictOf(line) !== 'short') return;
      second.push(told);
      options.onLine(told);
    },
  });
  return [...first.filter((line) => !isLate(line)), ...second];
}

/** The line with what it was at the first try, where that is among these; otherwise the line itself. */
function tellFirst(tried: readonly ScenarioLine[], line: ScenarioLine): ScenarioLine {
  const before = tried.find(({ name }) => name === line.name);
  return before === undefined ? line : { ...line, figure: `${line.figure}; at the first try ${before.figure}` };
}
