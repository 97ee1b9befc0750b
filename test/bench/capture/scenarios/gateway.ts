import { setTimeout as sleep } from 'node:timers/promises';

import { countForeignCores, sampleMachine, waitForQuiet } from '../../../kit/machine-noise.ts';
import { findMedian, summarizeLatencies } from '../../../kit/quantiles.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { startInference } from '../../../peers/openai/start-inference.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { runAgents, startServer } from '../gateway/run-agents.ts';

const MAX_ADDED_MS = 10;
const MAX_CPU_MS = 1.5;
const PER_SECOND = 150;
const UPSTREAM_MS = 50;
const PAIR_SECONDS = 5;
const [SHORT_PAIRS, FULL_PAIRS] = [3, 7];
const WARM_UP_SECONDS = 15;
const MAX_FOREIGN_CORES = 0.35;
const QUIET_TIMEOUT_MS = 10_000;
/** The drain comes a quarter of a second after the last call. */
const DRAIN_MS = 1_500;

interface Pair {
  readonly addedMs: number;
  readonly cpuMs: number;
  readonly calls: number;
  readonly line: string;
}

interface Gateway {
  readonly url: string;
  readonly process: { readonly pid: number };
}

/** `pnpm bench capture/gateway`. */
export const gatewayScenario: Scenario = {
  name: 'gateway',
  title: `what a recording gateway adds to agents that make ${PER_SECOND} calls a second, half of them streamed`,
  async run(context) {
    await using upstream = await startServer('backend-process.ts', { LACHESIS_DELAY_MS: String(UPSTREAM_MS) });
    await using gateway = await startInference({ args: ['--upstream-url', `${upstream.url}/v1`] });
    const count = context.full ? FULL_PAIRS : SHORT_PAIRS;
    const { pairs, answered } = await measure(context, { direct: upstream.url, gateway, count });
    const added = findMedian(pairs.map(({ addedMs }) => addedMs));
    context.report({
      name: 'added p99',
      figure: `${added.toFixed(1)} ms (median of ${pairs.length} pairs: ${pairs.map(({ line }) => line).join('; ')})`,
      bar: `≤ ${MAX_ADDED_MS} ms`,
      ok: added <= MAX_ADDED_MS,
    });
    const cpu = findMedian(pairs.map(({ cpuMs }) => cpuMs));
    context.report({
      name: 'CPU a call, gateway and its drain',
      figure: `${cpu.toFixed(2)} ms (${pairs.map(({ cpuMs }) => cpuMs.toFixed(2)).join(', ')})`,
      bar: `≤ ${MAX_CPU_MS} ms`,
      ok: cpu <= MAX_CPU_MS,
    });
    const counts = await readCounts(gateway.url);
    context.report({
      name: 'calls recorded and in the store',
      figure: `${counts.recorded} and ${counts.drained} of ${answered}, ${counts.lost} lost`,
      bar: 'all',
      ok: counts.recorded === answered && counts.drained >= answered && counts.lost === 0,
    });

    await using greedy = await startServer('greedy-process.ts', {
      LACHESIS_UPSTREAM_URL: `${upstream.url}/v1`,
      LACHESIS_HOME: await context.scratch(),
    });
    const [slow] = (await measure(context, { direct: upstream.url, gateway: greedy, count: 1 })).pairs;
    const isCaught = slow !== undefined && (slow.addedMs > MAX_ADDED_MS || slow.cpuMs > MAX_CPU_MS);
    context.report({
      name: 'a recorder that syncs and parses with each piece is caught',
      figure: `${isCaught} (${slow?.addedMs.toFixed(1)} ms, ${slow?.cpuMs.toFixed(2)} ms of CPU)`,
      bar: 'true',
      ok: isCaught,
    });
  },
};

async function measure(
  context: ScenarioContext,
  options: { direct: string; gateway: Gateway; count: number },
): Promise<{ pairs: Pair[]; answered: number }> {
  const { direct, gateway, count } = options;
  // Compiled code is what runs for days; the first seconds of a process are not what is asked about.
  const warmUp = {
    url: gateway.url,
    perSecond: PER_SECOND,
    seconds: WARM_UP_SECONDS,
    warmUpSeconds: 0,
    name: 'warm-up',
  };
  let { answered } = await runAgents(warmUp);
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const pair = await measurePair(direct, gateway, `pair-${pairs.length}`);
    context.log(`${pair.line}, ${pair.cpuMs.toFixed(2)} ms of CPU a call`);
    pairs.push(pair);
    answered += pair.calls;
  }
  return { pairs, answered };
}

/** The same agents at the upstream and through the gateway, one after the other. */
async function measurePair(direct: string, gateway: Gateway, name: string): Promise<Pair> {
  const ownRoots = [process.pid];
  await waitForQuiet({ ownRoots, maxForeignCores: MAX_FOREIGN_CORES, timeoutMs: QUIET_TIMEOUT_MS });
  const started = sampleMachine(ownRoots);
  const load = { perSecond: PER_SECOND, seconds: PAIR_SECONDS, warmUpSeconds: 1, name };
  const plain = await runAgents({ ...load, url: direct });
  await sleep(DRAIN_MS);
  const cpuBefore = readProcessTree(gateway.process.pid).cpuSeconds;
  const through = await runAgents({ ...load, url: gateway.url });
  await sleep(DRAIN_MS);
  const cpuSeconds = readProcessTree(gateway.process.pid).cpuSeconds - cpuBefore;
  const foreignCores = countForeignCores(started, sampleMachine(ownRoots));
  const [before, after] = [summarizeLatencies(plain.latencies), summarizeLatencies(through.latencies)];
  return {
    addedMs: after.p99 - before.p99,
    cpuMs: (cpuSeconds * 1000) / through.answered,
    calls: through.answered,
    line:
      `p50 ${before.p50.toFixed(1)} → ${after.p50.toFixed(1)}, p99 ${before.p99.toFixed(1)} → ${after.p99.toFixed(1)} ms ` +
      `with ${foreignCores.toFixed(2)} cores used by others`,
  };
}

async function readCounts(url: string): Promise<{ recorded: number; drained: number; lost: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);
  return {
    recorded: read('lachesis_inference_recorded_calls_total'),
    drained: read('lachesis_inference_drained_records_total'),
    lost: read('lachesis_inference_unrecorded_calls_total'),
  };
}
