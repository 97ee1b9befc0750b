import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

import type { RangeReport, SeedRange, Totals } from './seeds-worker.ts';
import type { Verdict } from './simulate.ts';

const CHUNK = 250;
/** After so many failures the picture is clear. */
const MAX_FAILURES = 3;

export interface SeedsResult extends Totals {
  readonly failures: readonly Verdict[];
}

/** Runs seeds 1 to `count` on a few threads; a range ends at its first violation. */
export async function runSeeds(options: {
  count: number;
  mutant?: string;
  onProgress?: (result: SeedsResult) => void;
  defer: (cleanup: () => Promise<void>) => void;
}): Promise<SeedsResult> {
  const ranges = listRanges(options);
  const failures: Verdict[] = [];
  const result = { histories: 0, steps: 0, acknowledged: 0, commits: 0, trained: 0, kills: 0, failures };
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('./seeds-worker.ts', import.meta.url));
    options.defer(async () => void (await worker.terminate()));
    for (let range = ranges.shift(); range !== undefined; range = ranges.shift()) {
      const report = await runRange(worker, range);
      for (const name of ['histories', 'steps', 'acknowledged', 'commits', 'trained', 'kills'] as const)
        result[name] += report[name];
      if (report.failed !== null) failures.push(report.failed);
      if (failures.length >= MAX_FAILURES) ranges.length = 0;
      options.onProgress?.(result);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), ranges.length) }, work));
  failures.sort((left, right) => left.seed - right.seed);
  return result;
}

function listRanges({ count, mutant }: { count: number; mutant?: string }): SeedRange[] {
  const ranges: SeedRange[] = [];
  for (let from = 1; from <= count; from += CHUNK) {
    ranges.push({ from, to: Math.min(from + CHUNK, count + 1), ...(mutant === undefined ? {} : { mutant }) });
  }
  return ranges;
}

function runRange(worker: Worker, range: SeedRange): Promise<RangeReport> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (report: RangeReport) => {
      worker.off('error', reject);
      resolve(report);
    });
    worker.postMessage(range);
  });
}
