import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { SampleFigures } from '../clients/sample-options.ts';
import { runClient } from '../run-client.ts';
import type { ClientRun } from '../run-client.ts';
import { startRecordingServer } from '../server/start-recording-server.ts';
import { describeRounds, findMedian } from '../../../kit/quantiles.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import { SAMPLES } from '../workload.ts';

const MAX_CPU_MS_PER_SAMPLE = 1;
const MAX_EXTRA_WALL_MS = 3_000;
const MAX_RSS_BYTES = 500 * 2 ** 20;
const ROUNDS = 3;

/** Thousands of samples that all take as long, on a server with one poll for each and on one that announces results. */
export const samplesScenario: Scenario = {
  name: 'samples',
  title: '2,000 samples at once cost a millisecond of CPU each and wait little longer than the server takes',
  async run(context) {
    for (const { name, flags } of [
      { name: 'samples, each polled for', flags: {} },
      { name: 'samples, announced by the server', flags: { sample_use_retrieve_futures: true } },
    ]) {
      const runs = await measure(context, { file: 'sample-process.ts', flags, rounds: ROUNDS });
      context.report({
        name,
        figure: describe(runs),
        bar: `${SAMPLES.count} done, ≤ ${MAX_CPU_MS_PER_SAMPLE} CPU-ms each, wall ≤ delay + ${MAX_EXTRA_WALL_MS / 1000} s, RSS ≤ ${toMegabytes(MAX_RSS_BYTES)} MB`,
        ok: isMet(runs),
      });
    }
    if (!context.full) return;
    const slowed = await measure(context, {
      file: 'sample-process.ts',
      flags: { sample_max_concurrent_requests: 900 },
      rounds: 1,
    });
    context.report({
      name: 'samples mutant: 900 at once',
      figure: isMet(slowed)
        ? 'not caught'
        : `caught, wall ${(pickMedian(slowed, ({ wallMs }) => wallMs) / 1000).toFixed(1)} s`,
      bar: 'caught',
      ok: !isMet(slowed),
    });
    const theirs = await measure(context, { file: 'sample_with_sdk.py', flags: {}, rounds: 1 });
    context.report({
      name: 'samples of the official client',
      figure: describe(theirs),
      bar: 'for comparison',
      ok: theirs.every(({ result }) => result.completed > 0),
    });
  },
};

type Runs = readonly ClientRun<SampleFigures>[];

async function measure(
  context: ScenarioContext,
  { file, flags, rounds }: { file: string; flags: Readonly<Record<string, unknown>>; rounds: number },
): Promise<Runs> {
  const { delayMs, ...load } = SAMPLES;
  const runs: ClientRun<SampleFigures>[] = [];
  while (runs.length < rounds) {
    await waitForCalm(context.full);
    await using server = await startRecordingServer({
      delayMs,
      flags: { sample_max_concurrent_requests: load.count, ...flags },
    });
    const run = await runClient<SampleFigures>({ file, options: { ...load, url: server.url }, capSeconds: 90 });
    context.log(`${file}: ${describe([run])}`);
    runs.push(run);
  }
  return runs;
}

const pickMedian = (runs: Runs, pick: (figures: SampleFigures) => number): number =>
  findMedian(runs.map(({ result }) => pick(result)));

/** Times are judged by their median; a sample that is missing or memory that is taken in any round counts. */
const isMet = (runs: Runs): boolean =>
  runs.every(({ result }) => result.completed === SAMPLES.count && result.peakRssBytes <= MAX_RSS_BYTES) &&
  pickMedian(runs, ({ cpuMs }) => cpuMs) / SAMPLES.count <= MAX_CPU_MS_PER_SAMPLE &&
  pickMedian(runs, ({ wallMs }) => wallMs) <= SAMPLES.delayMs + MAX_EXTRA_WALL_MS;

function describe(runs: Runs): string {
  const cpu = runs.map(({ result }) => result.cpuMs / SAMPLES.count);
  return [
    `${Math.min(...runs.map(({ result }) => result.completed))} of ${SAMPLES.count} done`,
    `${findMedian(cpu).toFixed(2)} CPU-ms each (${describeRounds(cpu, 2)})`,
    `wall ${(pickMedian(runs, ({ wallMs }) => wallMs) / 1000).toFixed(1)} s with a delay of ${SAMPLES.delayMs / 1000} s`,
    `peak RSS ${toMegabytes(Math.max(...runs.map(({ result }) => result.peakRssBytes)))} MB`,
    `foreign cores ${runs.map(({ foreignCores }) => foreignCores.toFixed(2)).join(', ')}`,
  ].join(', ');
}

const toMegabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
