import { waitForCalm } from '../../kit/wait-for-calm.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import type { ContenderName, StartContender } from './contenders.ts';
import type { LoadOptions } from './load/options.ts';
import type { LoadResult } from './load/result.ts';
import { appendRecord } from './record.ts';
import { runGenerator } from './run-generator.ts';

/** What a case asks of the generator; the server's address and processes are filled in for each run. */
export type CaseLoad = Omit<LoadOptions, 'url' | 'serverPid' | 'ownRoots' | 'metricsUrl' | 'warmGroups'>;

/**
 * Groups that go through a server before it is timed, so that the figure is its lasting speed. Ours is compiled while it runs
 * and needs dozens; the original is interpreted, and gets one batch, since each costs it more than a second.
 */
const WARM_GROUPS = { original: 8, ours: 64 } as const;

export interface MeasureOptions {
  readonly contender: ContenderName;
  readonly load: CaseLoad;
  readonly start: StartContender;
  readonly context: Pick<ScenarioContext, 'full' | 'log'>;
}

/** Measures one contender, freshly started, in a quiet moment where there is one; what others used stands beside its figure. */
export async function measureContender({ contender, load, start, context }: MeasureOptions): Promise<LoadResult> {
  await waitForCalm(context.full);
  await using server = await start(contender);
  const { url, pid, metricsUrl } = server;
  const loadOptions: LoadOptions = {
    ...load,
    warmGroups: countWarmGroups(contender, load),
    url,
    serverPid: pid,
    // The server and the generator are children of this process.
    ownRoots: [process.pid, ...server.helperPids],
    ...(metricsUrl === undefined ? {} : { metricsUrl }),
  };
  try {
    const entry = new URL('load/main.ts', import.meta.url);
    const result = (await runGenerator({
      entry,
      options: loadOptions,
      capSeconds: load.maxSeconds * 2 + 30,
    })) as LoadResult;
    context.log(`${contender} ${describeRun(result)}`);
    await appendRecord({ kind: 'run', contender, load, result });
    if (contender === 'run-api') noteFailures(result, context);
    else requireFaultlessRun(result);
    return result;
  } catch (error) {
    context.log(`${contender} printed:\n${server.logs().slice(-4000)}`);
    throw error;
  }
}

/** Filling is about memory from a cold start, and draining warms up by what it fills first. */
function countWarmGroups(contender: ContenderName, { mode }: CaseLoad): number {
  if (mode === 'fill' || mode === 'drain') return 0;
  return contender === 'run-api' ? WARM_GROUPS.original : WARM_GROUPS.ours;
}

/** The original's errors are its own; what it did acknowledge and deliver still counts for it. */
function noteFailures({ failures }: LoadResult, context: Pick<ScenarioContext, 'log'>): void {
  if (failures.count > 0) context.log(`run-api failed ${failures.count} requests, the first: ${failures.first}`);
}

/** A figure made of errors, repeats or made-up groups is not a figure. */
function requireFaultlessRun(result: LoadResult): void {
  const { failures, strangers, duplicates } = result;
  if (failures.count > 0) throw new Error(`${failures.count} requests failed, the first: ${failures.first}`);
  if (strangers > 0) throw new Error(`${strangers} groups were delivered that nobody sent`);
  if (duplicates > 0) throw new Error(`${duplicates} groups were delivered twice`);
}

function describeRun(result: LoadResult): string {
  const { mode, latencies, rss } = result;
  return [
    `${mode}: ${result.acked} acked (${result.ackedPerSecond.toFixed(1)}/s)`,
    `${result.delivered} delivered (${result.deliveredPerSecond.toFixed(1)}/s)`,
    `post p50/p99 ${latencies.post.p50.toFixed(0)}/${latencies.post.p99.toFixed(0)} ms`,
    `batch p50/p99 ${latencies.batch.p50.toFixed(0)}/${latencies.batch.p99.toFixed(0)} ms`,
    `status-env p50/p99 ${latencies.statusEnv.p50.toFixed(0)}/${latencies.statusEnv.p99.toFixed(0)} ms`,
    `${result.serverCpuMsPerGroup.toFixed(1)} CPU ms per group`,
    `RSS ${toMegabytes(rss.startBytes)} → ${toMegabytes(rss.endBytes)} MB, peak ${toMegabytes(rss.peakBytes)}`,
    `generator ${result.generatorCores.toFixed(2)} cores, foreign ${result.foreignCores.toFixed(2)}`,
  ].join('; ');
}

export function toMegabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
