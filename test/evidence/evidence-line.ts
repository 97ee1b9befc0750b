import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';

import type { ScenarioLine } from '../scenarios/scenario.ts';
import { verdictOf } from '../scenarios/run-scenario.ts';

/** One thing that a long form showed, with where and when. */
export interface EvidenceLine {
  /** `kind/suite/show`. */
  readonly show: string;
  readonly name: string;
  readonly figure: string;
  readonly bar: string;
  readonly verdict: ReturnType<typeof verdictOf>;
  /** What the run said of its seed; null where it has none. */
  readonly seed: string | null;
  readonly commit: string;
  /** ISO, when the show ended. */
  readonly date: string;
  readonly machine: string;
  /** How long the whole show took. */
  readonly seconds: number;
}

const LONGEST_FIGURE = 600;

export function toEvidence(
  line: ScenarioLine,
  run: Pick<EvidenceLine, 'commit' | 'date' | 'machine' | 'seconds' | 'show'>,
  /** Of this clone, with a slash behind it: an error names files of it, and where it lies is nobody else's business. */
  clone: string,
): EvidenceLine {
  const figure = line.figure
    .replaceAll(clone, '')
    .replaceAll(homedir(), '~')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, LONGEST_FIGURE);
  const seed = /\bseeds?[= ](\d+(?:(?:, ?| ?[–-] ?| to )\d+(?![.\d]))*)/i.exec(figure)?.[1] ?? null;
  const { show, ...where } = run;
  return { show, name: line.name, figure, bar: line.bar, verdict: verdictOf(line), seed, ...where };
}

export function readEvidence(path: string): EvidenceLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as EvidenceLine);
}

export function appendEvidence(path: string, lines: readonly EvidenceLine[]): void {
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** The newest line of each thing, in the order of the shows. */
export function newestEvidence(lines: readonly EvidenceLine[]): EvidenceLine[] {
  const newest = new Map<string, EvidenceLine>();
  for (const line of lines) newest.set(`${line.show}: ${line.name}`, line);
  // A thing that the newest run of its show no longer says is gone.
  const lastRun = new Map<string, string>();
  for (const { show, date } of lines) lastRun.set(show, date);
  return [...newest.values()]
    .filter(({ show, date }) => lastRun.get(show) === date)
    .sort((left, right) => (left.show === right.show ? 0 : left.show < right.show ? -1 : 1));
}
