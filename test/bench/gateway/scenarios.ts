import { createTinyModel } from '../../../packages/sdk/src/render/testing/tiny-model.fixture.ts';
import { countForeignCores, sampleMachine, waitForQuiet } from '../../kit/machine-noise.ts';
import { findMedian, summarizeLatencies } from '../../kit/quantiles.ts';
import { startInference } from '../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { runClients, startBackend } from './run-processes.ts';
import { watchMemory } from './watch-memory.ts';

const AT_ONCE = 2_000;
const PER_SECOND = 500;
const MAX_RSS_MB = 500;
const MAX_ADDED_MS = 10;
/** Long enough that all requests are under way before the first is answered. */
const HELD_MS = 5_000;
const USUAL_MS = 50;
const MAX_FOREIGN_CORES = 0.35;
const QUIET_TIMEOUT_MS = 10_000;
const PAIR_SECONDS = 4;
const [SHORT_PAIRS, FULL_PAIRS] = [3, 9];
const WARM_UP_SECONDS = 6;

const concurrent: Scenario = {
  name: 'concurrent',
  title: `${AT_ONCE} completions at once, through an upstream and through a Tinker engine, clients in other processes`,
  async run(context) {
    await using upstream = await startBackend('backend-process.ts', HELD_MS);
    await measureConcurrent(context, 'upstream', ['--upstream-url', `${upstream.url}/v1`]);
    const seen = (await (await fetch(`${upstream.url}/seen`)).json()) as { most: number };
    context.report({
      name: 'requests under way at once',
      figure: String(seen.most),
      bar: `≥ ${AT_ONCE}`,
      ok: seen.most >= AT_ONCE,
    });
    const model = await createTinyModel();
    context.defer(() => model.remove());
    await using engine = await startBackend('engine-process.ts', HELD_MS);
    const args = ['--engine-url', engine.url, '--base-model', 'fake/model', '--tokenizer', model.directory];
    await measureConcurrent(context, 'Tinker engine', args);
  },
};

async function measureConcurrent(context: ScenarioContext, name: string, args: readonly string[]): Promise<void> {
  // What recording costs is shown by `bench capture`.
  await using gateway = await startInference({ args: [...args, '--no-capture'] });
  const memory = watchMemory(gateway.process.pid);
  const result = await runClients({ url: gateway.url, atOnce: AT_ONCE }, 2);
  const peakMb = memory.stop() / 2 ** 20;
  for (const failure of result.failures) context.log(`${name}: ${failure}`);
  context.report({
    name: `${name}, completions that finish`,
    figure: `${result.answered} of ${AT_ONCE}`,
    bar: 'all',
    ok: result.answered === AT_ONCE && result.failed === 0,
  });
  context.report({
    name: `${name}, peak RSS of all server processes`,
    figure: `${peakMb.toFixed(0)} MB`,
    bar: `≤ ${MAX_RSS_MB} MB`,
    ok: peakMb <= MAX_RSS_MB,
  });
}

interface Pair {
  readonly addedMs: number;
  readonly line: string;
}

const rate: Scenario = {
  name: 'rate',
  title: `what the gateway adds to a completion at ${PER_SECOND} requests a second`,
  async run(context) {
    await using upstream = await startBackend('backend-process.ts', USUAL_MS);
    await using gateway = await startInference({ args: ['--upstream-url', `${upstream.url}/v1`, '--no-capture'] });
    // Compiled code is what runs for days; the first seconds of a process are not what is asked about.
    await runClients({ url: gateway.url, perSecond: PER_SECOND, seconds: WARM_UP_SECONDS }, 1);
    const pairs: Pair[] = [];
    while (pairs.length < (context.full ? FULL_PAIRS : SHORT_PAIRS)) {
      const pair = await measurePair({ direct: upstream.url, through: gateway.url });
      context.log(pair.line);
      pairs.push(pair);
    }
    const figure = findMedian(pairs.map(({ addedMs }) => addedMs));
    context.report({
      name: `added p99 at ${PER_SECOND} requests/s`,
      figure: `${figure.toFixed(1)} ms (median of ${pairs.length} pairs: ${pairs.map(({ line }) => line).join('; ')})`,
      bar: `≤ ${MAX_ADDED_MS} ms`,
      ok: figure <= MAX_ADDED_MS,
    });
  },
};

/** The same load to the backend and through the gateway, one after the other. */
async function measurePair(urls: { direct: string; through: string }): Promise<Pair> {
  const ownRoots = [process.pid];
  await waitForQuiet({ ownRoots, maxForeignCores: MAX_FOREIGN_CORES, timeoutMs: QUIET_TIMEOUT_MS });
  const started = sampleMachine(ownRoots);
  const load = { perSecond: PER_SECOND, seconds: PAIR_SECONDS, warmUpSeconds: 1 };
  const direct = await runClients({ ...load, url: urls.direct }, 1);
  const through = await runClients({ ...load, url: urls.through }, 1);
  const foreignCores = countForeignCores(started, sampleMachine(ownRoots));
  if (direct.failed + through.failed > 0) {
    throw new Error(`${direct.failed} and ${through.failed} requests failed: ${through.failures.join('; ')}`);
  }
  const [before, after] = [summarizeLatencies(direct.latencies), summarizeLatencies(through.latencies)];
  return {
    addedMs: after.p99 - before.p99,
    line:
      `p50 ${before.p50.toFixed(1)} → ${after.p50.toFixed(1)}, p99 ${before.p99.toFixed(1)} → ${after.p99.toFixed(1)} ms ` +
      `with ${foreignCores.toFixed(2)} cores used by others`,
  };
}

/** `pnpm bench gateway`. */
export const scenarios: Scenario[] = [concurrent, rate];
