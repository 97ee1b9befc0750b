import type { EnvironmentFacts } from './run-facts.ts';

const PAUSED = /^paused: (.+)$/;
const RESUMED = /going on$/;
const WAITING = / {2}waiting: (.+)$/;
const PROGRESS = / rollouts \([\d.]+\/s\) /;

/** What an environment says of itself at the end of its log. One of another kind says nothing, which is an answer too. */
export function readEnvironmentLog(lines: readonly string[]): EnvironmentFacts {
  const facts: EnvironmentFacts = { waiting: null, paused: null };
  for (const line of lines) {
    const paused = PAUSED.exec(line)?.[1];
    if (paused !== undefined) facts.paused = paused;
    if (RESUMED.test(line)) facts.paused = null;
    const waiting = WAITING.exec(line)?.[1];
    if (waiting !== undefined) facts.waiting = waiting;
    else if (PROGRESS.test(line)) facts.waiting = null;
  }
  return facts;
}

/** When the engine last asked for time: the trainer's log is lines of JSON. */
export function findLimitedAt(lines: readonly string[]): number | null {
  let found: number | null = null;
  for (const line of lines) {
    if (!line.includes('sampling-limited')) continue;
    const at = readTime(line);
    if (at !== undefined) found = Math.max(found ?? 0, at);
  }
  return found;
}

function readTime(line: string): number | undefined {
  try {
    const { time } = JSON.parse(line) as { time?: unknown };
    const at = typeof time === 'string' ? Date.parse(time) : time;
    return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
  } catch {
    // A line that is cut off, or of a program that writes otherwise.
    return undefined;
  }
}
