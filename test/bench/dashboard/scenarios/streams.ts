import { createEventParser } from '@lachesis/sdk';
import { findNewestIncarnation, openHome, recordMetricPoints } from '@lachesis/store';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDashboardHome, RUNS } from '../../../e2e/dashboard/make-home.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const STREAMS = 500;
const SECONDS = 20;
const MAX_SHARE = 0.1;
const MAX_KB = 100;
/** Clock ticks of the kernel in a second. */
const TICKS = 100;
const [{ run }] = RUNS;

/** `pnpm bench dashboard/streams`: what pages that are open cost the server. */
export const streamsScenario: Scenario = {
  name: 'streams',
  title: `${STREAMS} pages follow a run that tells something every second: processor time and memory of the server`,
  async run(context) {
    const home = await makeDashboardHome(await context.scratch());
    const server = await startControlServer({ home });
    context.defer(async () => void (await server.process.stop()));
    const { pid } = server.process;
    const opened = await openHome({ home });
    context.defer(async () => {
      await opened[Symbol.asyncDispose]();
    });
    const { store } = opened;
    const loop = await findNewestIncarnation({ store, tenantId: 'local', name: run });
    if (loop === undefined) throw new Error('the run has no loop');
    let step = 1_000;
    const tell = async (): Promise<void> => {
      step += 1;
      const points = [{ series: 'reward/mean', step, at: Date.now(), value: Math.sin(step) }];
      await recordMetricPoints({ store, tenantId: 'local', runId: loop.runId, points });
    };
    await tell();
    const before = await readUse(pid);

    const ending = new AbortController();
    const heard = new Uint32Array(STREAMS);
    const followed = Array.from({ length: STREAMS }, (_, index) =>
      follow(`${server.url}/v1/stream?topics=runs,metrics:${run}@${step}`, ending.signal, () => {
        heard[index] = (heard[index] ?? 0) + 1;
      }),
    );
    context.defer(() => ending.abort());
    await tell();
    // All of them are open, and have been told something.
    while (heard.some((count) => count === 0)) await sleep(50);
    const open = await readUse(pid);
    heard.fill(0);
    const beganAt = performance.now();
    for (let second = 1; second <= SECONDS; second += 1) {
      await tell();
      await sleep(Math.max(0, beganAt + second * 1_000 - performance.now()));
    }
    const after = await readUse(pid);
    const seconds = (performance.now() - beganAt) / 1_000;
    const share = (after.ticks - open.ticks) / TICKS / seconds;
    const least = Math.min(...heard);
    ending.abort();
    await Promise.all(followed);
    context.report({
      name: 'events that the least of them heard',
      figure: `${least} in ${seconds.toFixed(0)} s`,
      bar: `≥ ${SECONDS - 2}`,
      ok: least >= SECONDS - 2,
    });
    context.report({
      name: `processor time of the server with ${STREAMS} streams`,
      figure: `${(share * 100).toFixed(1)} % of one core`,
      bar: `≤ ${MAX_SHARE * 100} %`,
      ok: share <= MAX_SHARE,
    });
    const each = Math.max(0, after.kb - before.kb) / STREAMS;
    context.report({
      name: 'memory of each',
      figure: `${each.toFixed(0)} KB`,
      bar: `≤ ${MAX_KB} KB`,
      ok: each <= MAX_KB,
    });
  },
};

/** As the page follows: one connection, its events parsed. */
async function follow(url: string, signal: AbortSignal, onMetrics: () => void): Promise<void> {
  try {
    const response = await fetch(url, { signal, headers: { accept: 'text/event-stream' } });
    if (!response.ok) throw new Error(`the stream answered ${response.status}`);
    const parser = createEventParser({ onEvent: ({ event }) => event === 'metrics' && onMetrics() });
    for await (const piece of response.body ?? []) parser.add(piece);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function readUse(pid: number): Promise<{ ticks: number; kb: number }> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ]);
  // Behind the name, which may have spaces in it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    ticks: Number(fields[11]) + Number(fields[12]),
    kb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
  };
}
