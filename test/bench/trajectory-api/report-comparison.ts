import { describeRounds, findMedian } from '../../kit/quantiles.ts';
import type { ScenarioContext, ScenarioLine } from '../../scenarios/scenario.ts';
import { comparePairs } from './alternate.ts';
import type { Pair } from './alternate.ts';
import type { LoadResult } from './load/result.ts';
import { MAX_FOREIGN_CORES } from '../../kit/wait-for-calm.ts';
import { appendRecord } from './record.ts';

export interface ComparisonReport {
  readonly context: ScenarioContext;
  readonly name: string;
  readonly pairs: readonly Pair[];
  readonly pick: (result: LoadResult) => number;
  readonly unit: string;
  /** Whether a busy machine changes the figure: true for times, false for memory. */
  readonly isTimed: boolean;
  /** Something the reader must know about how the figure was made. */
  readonly note?: string;
}

/** Ours must be at least this many times the original: throughput. */
export async function reportAtLeast(report: ComparisonReport & { times: number }): Promise<void> {
  const { ratio, ratios, ours, original } = comparePairs(report.pairs, report.pick);
  await reportLine(report, {
    name: report.name,
    figure: `${ratio.toFixed(2)}× (${describeRounds(ratios, 2)}; ${ours.toFixed(1)} against ${original.toFixed(1)} ${describe(report)})`,
    bar: `≥ ${report.times}×`,
    // An original that delivered nothing gives no finite ratio, and that is a failed measurement, not a victory.
    ok: Number.isFinite(ratio) && ratio >= report.times && isFair(report),
  });
}

/** Ours must be at most this part of the original: latency and memory. */
export async function reportAtMost(report: ComparisonReport & { part: number }): Promise<void> {
  const { ratio, ratios, ours, original } = comparePairs(report.pairs, report.pick);
  const parts = ratios.map((of) => 1 / of);
  await reportLine(report, {
    name: report.name,
    figure: `1/${(1 / ratio).toFixed(1)} (one part of: ${describeRounds(parts)}; ${ours.toFixed(0)} against ${original.toFixed(0)} ${describe(report)})`,
    bar: `≤ 1/${report.part}`,
    ok: ratio <= 1 / report.part && isFair(report),
  });
}

/**
 * A disturbed run of ours only hurts ourselves; a disturbed run of the original would flatter us. The full form does not
 * accept that; the short one is a smoke test and prints the foreign cores.
 */
function isFair({ context, pairs, isTimed }: ComparisonReport): boolean {
  return !context.full || !isTimed || readForeignCores(pairs, 'original') <= MAX_FOREIGN_CORES;
}

function readForeignCores(pairs: readonly Pair[], side: keyof Pair): number {
  return findMedian(pairs.map((pair) => pair[side].foreignCores));
}

async function reportLine(report: ComparisonReport, line: ScenarioLine): Promise<void> {
  report.context.report(line);
  await appendRecord({ kind: 'line', ...line });
}

function describe(report: ComparisonReport): string {
  const { unit, pairs, note } = report;
  const [ours, original] = [readForeignCores(pairs, 'ours'), readForeignCores(pairs, 'original')];
  return [
    `${unit}, foreign cores ${ours.toFixed(2)} and ${original.toFixed(2)}`,
    ...(isFair(report) ? [] : ['the original was disturbed']),
    ...(note === undefined ? [] : [note]),
  ].join('; ');
}
