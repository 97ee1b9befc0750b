import { findMedian } from '../../kit/quantiles.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { LoadResult } from './load/result.ts';
import { appendRecord } from './record.ts';

/** Phases of taking a group in, as the server clocks them (on busy cores that is more than CPU), and what we call them. */
const PHASES = [
  ['gunzip', 'gunzip'],
  ['parse', 'parse'],
  ['pack', 'pack'],
  ['deflate', 'deflate'],
  ['hash', 'sha256'],
  ['write', 'write and fsync (waiting included)'],
] as const;

/** Prints what one group costs us beside the parts the server says it is made of. There is no bar but having the parts. */
export async function reportCpu(options: {
  context: ScenarioContext;
  name: string;
  results: readonly LoadResult[];
}): Promise<void> {
  const { context, name, results } = options;
  const total = findMedian(results.map((result) => result.serverCpuMsPerGroup));
  const parts = PHASES.map(([phase, label]) => {
    const milliseconds = findMedian(results.map((result) => readPhaseMs(result, phase)));
    return { label, milliseconds };
  });
  const line = {
    name,
    figure: `${total.toFixed(1)} CPU-ms per group, of which ${parts
      .map(({ label, milliseconds }) => `${label} ${milliseconds.toFixed(2)}`)
      .join(', ')}`,
    bar: 'every part is known',
    ok: parts.every(({ milliseconds }) => Number.isFinite(milliseconds)),
  };
  context.report(line);
  await appendRecord({ kind: 'line', ...line });
}

function readPhaseMs({ counters }: LoadResult, phase: string): number {
  const seconds = counters[`lachesis_ingest_phase_seconds_total{phase="${phase}"}`] ?? Number.NaN;
  // Counted by API; here only one is called.
  const groups = Object.entries(counters).filter(([name]) => name.startsWith('lachesis_groups_accepted_total'));
  return (seconds * 1000) / groups.reduce((sum, [, count]) => sum + count, 0);
}
