import { createEventParser } from '@lachesis/sdk';
import { findNewestIncarnation, openHome, recordMetricPoints } from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDashboardHome, RUNS } from '../../../e2e/dashboard/make-home.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const STREAMS = 500;
const SECONDS = 20;
const MAX_SHARE = 0.1;
const MAX_KB = 100;
const SETTLE_MS = 5_000;
const PATIENCE_MS = 60_000;
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
    const before = readProcessTree(pid);

    const ending = new AbortController();
    const heard = new Uint32Array(STREAMS);
    const followed: Promise<void>[] = [];
    // People open their pages one after the other.
    for (let index = 0; index < STREAMS; index += 1) {
      const url = `${server.url}/v1/stream?topics=runs,metrics:${run}@${step}`;
      const response = await fetch(url, { signal: ending.signal, headers: { accept: 'text/event-stream' } });
      if (!response.ok) throw new Error(`the stream answered ${response.status}`);
      const onPoints = (points: number): void => void (heard[index] = (heard[index] ?? 0) + points);
      followed.push(follow(response, ending.signal, onPoints));
    }
    context.defer(() => ending.abort());
    await tell();
    // All of them are open, have been told something, and have seen that there is no more: opening is not what is measured.
    while (heard.some((count) => count === 0)) await sleep(50);
    await sleep(SETTLE_MS);
    const open = readProcessTree(pid);
    heard.fill(0);
    const beganAt = performance.now();
    for (let second = 1; second <= SECONDS; second += 1) {
      await tell();
      await sleep(Math.max(0, beganAt + second * 1_000 - performance.now()));
    }
    const after = readProcessTree(pid);
    const seconds = (performance.now() - beganAt) / 1_000;
    // A machine with other work on it is late; nothing may be missing.
    const deadline = performance.now() + PATIENCE_MS;
    while (heard.some((count) => count < SECONDS) && performance.now() < deadline) await sleep(100);
    const share = (after.cpuSeconds - open.cpuSeconds) / seconds;
    const least = Math.min(...heard);
    ending.abort();
    await Promise.all(followed);
    context.report({
      name: 'points that the least of them heard',
      figure: `${least} of ${SECONDS}`,
      bar: String(SECONDS),
      ok: least === SECONDS,
    });
    context.report({
      name: `processor time of the server with ${STREAMS} streams`,
      figure: `${(share * 100).toFixed(1)} % of one core`,
      bar: `≤ ${MAX_SHARE * 100} %`,
      ok: share <= MAX_SHARE,
    });
    const each = Math.max(0, after.rssBytes - before.rssBytes) / 1_024 / STREAMS;
    context.report({
      name: 'memory of each',
      figure: `${each.toFixed(0)} KB`,
      bar: `≤ ${MAX_KB} KB`,
      ok: each <= MAX_KB,
    });
  },
};

/** As the page follows: one connection, its events parsed. */
async function follow(response: Response, signal: AbortSignal, onPoints: (count: number) => void): Promise<void> {
  const parser = createEventParser({
    onEvent: ({ event, data }) => {
      if (event === 'metrics') onPoints((JSON.parse(data) as { points: unknown[] }).points.length);
    },
  });
  try {
    for await (const piece of response.body ?? []) parser.add(piece);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
