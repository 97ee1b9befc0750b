import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import type { SampleFigures } from '../clients/sample-options.ts';
import { runClient } from '../run-client.ts';
import type { ClientRun } from '../run-client.ts';
import { startRecordingServer } from '../server/start-recording-server.ts';
import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import { SAMPLES } from '../workload.ts';

const MAX_CPU_MS_PER_SAMPLE = 1;
const MAX_EXTRA_WALL_MS = 3_000;
const MAX_RSS_BYTES = 500 * 2 ** 20;

/** Thousands of samples that all take as long, on a server with one poll for each and on one that announces results. */
export const samplesScenario: Scenario = {
  name: 'samples',
  title: '2,000 samples at once cost a millisecond of CPU each and wait little longer than the server takes',
  async run(context) {
    for (const { name, flags } of [
      { name: 'samples, each polled for', flags: {} },
      { name: 'samples, announced by the server', flags: { sample_use_retrieve_futures: true } },
    ]) {
      const run = await measure(context, { file: 'sample-process.ts', flags });
      context.report({
        name,
        figure: describe(run),
        bar: `${SAMPLES.count} done, ≤ ${MAX_CPU_MS_PER_SAMPLE} CPU-ms each, wall ≤ delay + ${MAX_EXTRA_WALL_MS / 1000} s, RSS ≤ ${toMegabytes(MAX_RSS_BYTES)} MB`,
        ok: isMet(run),
      });
    }
    if (!context.full) return;
    const slowed = await measure(context, {
      file: 'sample-process.ts',
      flags: { sample_max_concurrent_requests: 900 },
    });
    context.report({
      name: 'samples mutant: 900 at once',
      figure: isMet(slowed) ? 'not caught' : `caught, wall ${(slowed.result.wallMs / 1000).toFixed(1)} s`,
      bar: 'caught',
      ok: !isMet(slowed),
    });
    const theirs = await measure(context, { file: 'sample_with_sdk.py', flags: {} });
    context.report({
      name: 'samples of the official client',
      figure: describe(theirs),
      bar: 'for comparison',
      ok: theirs.result.completed > 0,
    });
  },
};

/** One run; when it is short, two more, and the one with the median of CPU counts: a moment of noise is no figure. */
async function measure(
  context: ScenarioContext,
  { file, flags }: { file: string; flags: Readonly<Record<string, unknown>> },
): Promise<ClientRun<SampleFigures>> {
  const { delayMs, ...load } = SAMPLES;
  const runOnce = async (): Promise<ClientRun<SampleFigures>> => {
    await waitForCalm(context.full);
    await using server = await startRecordingServer({
      delayMs,
      flags: { sample_max_concurrent_requests: load.count, ...flags },
    });
    const run = await runClient<SampleFigures>({ file, options: { ...load, url: server.url }, capSeconds: 90 });
    context.log(`${file}: ${describe(run)}`);
    return run;
  };
  const first = await runOnce();
  if (isMet(first) || file.endsWith('.py')) return first;
  const runs = [first, await runOnce(), await runOnce()];
  return runs.toSorted((a, b) => a.result.cpuMs - b.result.cpuMs)[1]!;
}

const isMet = ({ result: { completed, wallMs, cpuMs, peakRssBytes } }: ClientRun<SampleFigures>): boolean =>
  completed === SAMPLES.count &&
  cpuMs / SAMPLES.count <= MAX_CPU_MS_PER_SAMPLE &&
  wallMs <= SAMPLES.delayMs + MAX_EXTRA_WALL_MS &&
  peakRssBytes <= MAX_RSS_BYTES;

function describe({ result, foreignCores }: ClientRun<SampleFigures>): string {
  const { completed, wallMs, cpuMs, peakRssBytes } = result;
  return [
    `${completed} of ${SAMPLES.count} done`,
    `${(cpuMs / SAMPLES.count).toFixed(2)} CPU-ms each`,
    `wall ${(wallMs / 1000).toFixed(1)} s with a delay of ${SAMPLES.delayMs / 1000} s`,
    `peak RSS ${toMegabytes(peakRssBytes)} MB`,
    `foreign cores ${foreignCores.toFixed(2)}`,
  ].join(', ');
}

const toMegabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
