import { setTimeout as sleep } from 'node:timers/promises';

import { countForeignCores, sampleMachine } from '../../../kit/machine-noise.ts';
import { summarizeLatencies } from '../../../kit/quantiles.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { loadTemplates } from '../bodies/load-templates.ts';
import { checkDeliveries } from './check-deliveries.ts';
import { HttpClient } from './http-client.ts';
import { joinRun, openConnections } from './join-run.ts';
import type { LoadOptions } from './options.ts';
import { readCounters, subtractCounters } from './read-counters.ts';
import { Recorder } from './recorder.ts';
import type { LoadResult } from './result.ts';
import { drainBatches, pollStatus, pushGroups } from './workers.ts';
import type { EnvironmentState, Workplace } from './workers.ts';

const MEMORY_SAMPLE_MS = 500;

/** Loads one server in one way and says what came of it. The window opens after registration and closes on time. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const templates = await loadTemplates({
    sequences: options.sequences,
    tokens: options.tokens,
    count: options.templates,
  });
  const client = new HttpClient(options.url);
  const envIds = await joinRun(client, options);
  // One for each environment's groups, one for its status, one for the trainer.
  await openConnections(client, envIds.length * 2 + 1);
  const environments = envIds.map((envId): EnvironmentState => ({ envId, isPaused: false }));
  const parts = { client, options, templates };
  let nextId = await pushFirst({ ...parts, nextId: 1 }, environments, options.warmGroups);
  if (options.warmGroups > 0) await drainBatches(openWorkplace({ ...parts, nextId }), { untilEmpty: true });
  if (options.mode === 'drain') nextId = await pushFirst({ ...parts, nextId }, environments, options.groups);
  const place = openWorkplace({ ...parts, nextId });

  const machineBefore = sampleMachine(options.ownRoots);
  const serverBefore = readProcessTree(options.serverPid);
  const countersBefore = await readCounters(options.metricsUrl);
  const generatorBefore = process.cpuUsage();
  const startedAt = performance.now();
  const memory = watchMemory(place);
  await Promise.race([work(place, environments), waitUntilOver(place)]);
  place.recorder.close();
  const seconds = (performance.now() - startedAt) / 1000;
  const generator = process.cpuUsage(generatorBefore);
  const serverAfter = readProcessTree(options.serverPid);
  const machineAfter = sampleMachine(options.ownRoots);
  const series = memory.stop();
  const counters = subtractCounters(await readCounters(options.metricsUrl), countersBefore);
  client.close();

  const { recorder } = place;
  if (options.mode === 'fill') requireAcked(recorder, options.groups);
  const deliveries = checkDeliveries({ batches: recorder.batches, templates, nextId: place.nextId });
  const lastBatchAt = recorder.batches.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
  const serverCpuSeconds = serverAfter.cpuSeconds - serverBefore.cpuSeconds;
  return {
    mode: options.mode,
    seconds,
    acked: recorder.acked,
    ackedPerSecond: recorder.acked / seconds,
    ...deliveries,
    deliveredPerSecond: deliveries.delivered / ((lastBatchAt - startedAt) / 1000),
    batches: recorder.batches.length,
    failures: { count: recorder.failureCount, first: recorder.firstFailure },
    latencies: {
      post: summarizeLatencies(recorder.latencies.post),
      batch: summarizeLatencies(recorder.latencies.batch),
      emptyBatch: summarizeLatencies(recorder.latencies.emptyBatch),
      statusEnv: summarizeLatencies(recorder.latencies.statusEnv),
    },
    serverCpuSeconds,
    serverCpuMsPerGroup: (serverCpuSeconds * 1000) / (options.mode === 'drain' ? deliveries.delivered : recorder.acked),
    generatorCores: (generator.user + generator.system) / 1e6 / seconds,
    foreignCores: countForeignCores(machineBefore, machineAfter),
    rss: {
      startBytes: serverBefore.rssBytes,
      endBytes: serverAfter.rssBytes,
      peakBytes: Math.max(serverBefore.rssBytes, serverAfter.rssBytes, ...series.map(({ bytes }) => bytes)),
      series,
    },
    counters,
  };
}

/** Pushes a number of groups before the window opens, and returns the next id to send. */
async function pushFirst(
  parts: WorkplaceParts,
  environments: readonly EnvironmentState[],
  count: number,
): Promise<number> {
  const place = openWorkplace({ ...parts, options: { ...parts.options, mode: 'fill' } });
  const lastId = parts.nextId + count - 1;
  await Promise.all(environments.map((environment) => pushGroups(place, environment, lastId)));
  requireAcked(place.recorder, count);
  return place.nextId;
}

function requireAcked({ acked, firstFailure }: Recorder, count: number): void {
  if (acked < count) throw new Error(`only ${acked} of ${count} groups were taken: ${firstFailure ?? 'time ran out'}`);
}

type WorkplaceParts = Omit<Workplace, 'recorder' | 'isOver'>;

function openWorkplace(parts: WorkplaceParts): Workplace {
  const recorder = new Recorder();
  const openedAt = performance.now();
  return {
    ...parts,
    recorder,
    isOver: () => isWindowOver(parts.options, recorder, (performance.now() - openedAt) / 1000),
  };
}

function isWindowOver(options: LoadOptions, recorder: Recorder, seconds: number): boolean {
  if (options.mode === 'fill') return seconds >= options.maxSeconds;
  if (seconds < options.seconds) return false;
  const isDraining = options.mode !== 'ingest';
  return !isDraining || recorder.batches.length >= options.minBatches || seconds >= options.maxSeconds;
}

async function work(place: Workplace, environments: readonly EnvironmentState[]): Promise<void> {
  const { mode, groups } = place.options;
  if (mode === 'drain') return drainBatches(place, { untilEmpty: true });
  const upToId = mode === 'fill' ? groups : Infinity;
  const workers = environments.map((environment) => pushGroups(place, environment, upToId));
  if (mode === 'steady' || mode === 'paced') {
    workers.push(...environments.map((environment) => pollStatus(place, environment)));
    workers.push(drainBatches(place, { untilEmpty: false }));
  }
  await Promise.all(workers);
}

/** The window closes on time even while requests are under way; a slow server would stretch it otherwise. */
async function waitUntilOver(place: Workplace): Promise<void> {
  while (!place.isOver()) await sleep(10);
}

function watchMemory(place: Workplace): { stop(): { acked: number; bytes: number }[] } {
  const series: { acked: number; bytes: number }[] = [];
  const timer = setInterval(() => {
    series.push({ acked: place.recorder.acked, bytes: readProcessTree(place.options.serverPid).rssBytes });
  }, MEMORY_SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return series;
    },
  };
}
