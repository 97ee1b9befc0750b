import { waitForCalm } from '../../../kit/wait-for-calm.ts';
import type { Scenario, ScenarioContext, ScenarioLine } from '../../../scenarios/scenario.ts';
import type { StartContender } from '../contenders.ts';
import { toMegabytes } from '../measure.ts';
import { appendRecord } from '../record.ts';
import { runGenerator } from '../run-generator.ts';
import type { NativeLoadOptions, NativeLoadResult } from './options.ts';

const MAX_PUSH_P99_MS = 250;
const MAX_RSS_MEGABYTES = 512;

/** A thousand accelerators make about eleven groups of 16 × 8k tokens a second, unevenly. */
const LOAD = { rate: 11, sequences: 16, tokens: 8192, batchSize: 128, environments: 10_000 } as const;

/** The load of a large run through the native API on Postgres and files: ten minutes, or a few seconds as a smoke test. */
export function showThousandGpus(options: { start: (context: ScenarioContext) => StartContender }): Scenario {
  return {
    name: 'thousand-gpus',
    title: '11 groups/s of 16×8192 with threefold bursts through the native API on Postgres (--full: ten minutes)',
    run: async (context) => {
      const result = await runOnPostgres(context, options.start(context));
      const length = `${result.seconds.toFixed(0)} s, foreign cores ${result.foreignCores.toFixed(2)}`;
      for (const line of judge(result)) {
        const whole = { ...line, name: `thousand-gpus ${line.name}`, figure: `${line.figure}; ${length}` };
        context.report(whole);
        await appendRecord({ kind: 'line', ...whole });
      }
    },
  };
}

async function runOnPostgres(context: ScenarioContext, start: StartContender): Promise<NativeLoadResult> {
  await waitForCalm(context.full);
  await using server = await start('postgres');
  const seconds = context.full ? 600 : 12;
  const load: NativeLoadOptions = {
    ...LOAD,
    seconds,
    burst: context.full
      ? { everySeconds: 30, lastsSeconds: 5, factor: 3 }
      : { everySeconds: 6, lastsSeconds: 2, factor: 3 },
    url: server.url,
    serverPid: server.pid,
    ownRoots: [process.pid, ...server.helperPids],
  };
  try {
    const entry = new URL('main.ts', import.meta.url);
    const result = (await runGenerator({ entry, options: load, capSeconds: seconds + 60 })) as NativeLoadResult;
    await appendRecord({ kind: 'native-run', load, result });
    context.log(JSON.stringify(result));
    return result;
  } catch (error) {
    context.log(`the server printed:\n${server.logs().slice(-4000)}`);
    throw error;
  }
}

function judge(result: NativeLoadResult): ScenarioLine[] {
  const { push, failures, starved, pushed, trained } = result;
  const rss = Number(toMegabytes(result.rssPeakBytes));
  return [
    {
      name: 'push p99',
      figure: `${push.p99.toFixed(0)} ms (p50 ${push.p50.toFixed(0)}, ${pushed} groups of ${(result.bytesPerGroup / 1e6).toFixed(2)} MB, ${result.deferred} deferred, ${failures.count} failed${failures.count > 0 ? `: ${failures.first}` : ''})`,
      bar: `≤ ${MAX_PUSH_P99_MS} ms, none failed`,
      ok: push.p99 <= MAX_PUSH_P99_MS && failures.count === 0,
    },
    {
      name: 'RSS',
      figure: `${rss} MB at most, all server processes`,
      bar: `≤ ${MAX_RSS_MEGABYTES} MB`,
      ok: rss <= MAX_RSS_MEGABYTES,
    },
    {
      name: 'trainer starved',
      figure: `${starved} times (${trained} of ${pushed} groups trained in ${result.batches} batches, longest wait ${result.longestWaitMs.toFixed(0)} ms)`,
      bar: '0 times, all whole batches trained',
      ok: starved === 0 && pushed - trained < LOAD.batchSize / LOAD.sequences,
    },
  ];
}
