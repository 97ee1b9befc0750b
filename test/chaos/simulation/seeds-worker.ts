import { parentPort } from 'node:worker_threads';

import { MUTANTS } from './parts.ts';
import { simulate, type Verdict } from './simulate.ts';

/** Seeds `from` up to, not including, `to`. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
  readonly mutant?: string;
}

export interface RangeReport extends Totals {
  readonly range: SeedRange;
  /** Where it ended: at the first violation, if there was one. */
  readonly failed: Verdict | null;
}

export interface Totals {
  histories: number;
  steps: number;
  acknowledged: number;
  commits: number;
  trained: number;
  kills: number;
}

// Simulated faults are errors by the thousand, and nobody reads their stacks.
Error.stackTraceLimit = 0;

parentPort?.on('message', (range: SeedRange) => void runRange(range));

async function runRange(range: SeedRange): Promise<void> {
  const totals: Totals = { histories: 0, steps: 0, acknowledged: 0, commits: 0, trained: 0, kills: 0 };
  let failed: Verdict | null = null;
  for (let seed = range.from; seed < range.to && failed === null; seed++) {
    const verdict = await simulate(seed, range.mutant === undefined ? undefined : MUTANTS[range.mutant]);
    totals.histories += 1;
    for (const name of ['steps', 'acknowledged', 'commits', 'trained', 'kills'] as const) totals[name] += verdict[name];
    if (verdict.violation !== null) failed = verdict;
  }
  parentPort?.postMessage({ range, failed, ...totals } satisfies RangeReport);
}
