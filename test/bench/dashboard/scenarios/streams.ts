import { createEventParser } from '@lachesis/sdk';
import {
  createSessionCode,
  createToken,
  findNewestIncarnation,
  findToken,
  openHome,
  openSession,
  recordMetricPoints,
  type Store,
} from '@lachesis/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDashboardHome, RUNS } from '../../../e2e/dashboard/make-home.ts';
import { readProcessTree } from '../../../kit/read-process-tree.ts';
import { startControlServer } from '../../../kit/start-control-server.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const STREAMS = 500;
const SECONDS = 20;
const SECONDS_AT_ONCE = 5;
const SESSION_MS = 3_600_000;
const MAX_SHARE = 0.1;
const MAX_KB = 100;
const SETTLE_MS = 5_000;
const PATIENCE_MS = 60_000;
const [{ run }] = RUNS;

/** `pnpm bench dashboard/streams`: what pages that are open cost the server. */
export const streamsScenario: Scenario = {
  name: 'streams',
  title: `${STREAMS} pages follow a run that tells something every second, each with a token of its own: processor time and memory of the server`,
  async run(context) {
    const home = await makeDashboardHome(await context.scratch());
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
    const tokens = await openSessions(store);
    for (const isAtOnce of [false, true]) {
      await using server = await openServer(home);
      const before = readProcessTree(server.pid);
      const pages = await openPages(server.url, { tokens, topics: `runs,metrics:${run}@${step}`, isAtOnce });
      await tell();
      // All of them are open, have been told something, and have seen that there is no more: opening is not what is measured.
      while (pages.heard.some((count) => count === 0)) await sleep(50);
      await sleep(SETTLE_MS);
      const open = readProcessTree(server.pid);
      pages.heard.fill(0);
      const seconds = isAtOnce ? SECONDS_AT_ONCE : SECONDS;
      const beganAt = performance.now();
      for (let second = 1; second <= seconds; second += 1) {
        await tell();
        await sleep(Math.max(0, beganAt + second * 1_000 - performance.now()));
      }
      const after = readProcessTree(server.pid);
      const took = (performance.now() - beganAt) / 1_000;
      // A machine with other work on it is late; nothing may be missing.
      const deadline = performance.now() + PATIENCE_MS;
      while (pages.heard.some((count) => count < seconds) && performance.now() < deadline) await sleep(100);
      const least = Math.min(...pages.heard);
      await pages.close();
      const how = isAtOnce ? ', all opened at once' : '';
      context.report({
        name: `points that the least of them heard${how}`,
        figure: `${least} of ${seconds}`,
        bar: String(seconds),
        ok: least === seconds,
      });
      const share = (after.cpuSeconds - open.cpuSeconds) / took;
      if (!isAtOnce)
        context.report({
          name: `processor time of the server with ${STREAMS} streams`,
          figure: `${(share * 100).toFixed(1)} % of one core`,
          bar: `≤ ${MAX_SHARE * 100} %`,
          ok: share <= MAX_SHARE,
        });
      const each = Math.max(0, after.rssBytes - before.rssBytes) / 1_024 / STREAMS;
      context.report({
        name: `memory of each${how}`,
        figure: `${each.toFixed(0)} KB`,
        bar: `≤ ${MAX_KB} KB`,
        ok: each <= MAX_KB,
      });
    }
  },
};

/** Every page has a token of its own, for which it traded its code. */
async function openSessions(store: Store): Promise<string[]> {
  const made = await createToken({ store, tenantId: 'local', name: 'bench', scopes: ['view'] });
  const maker = await findToken({ store, token: made.token });
  if (maker === undefined) throw new Error('the token that was made is not known');
  const tokens: string[] = [];
  for (let index = 0; index < STREAMS; index += 1) {
    const { code } = await createSessionCode({ store, maker, lifetimeMs: SESSION_MS });
    const session = await openSession({ store, code, lifetimeMs: SESSION_MS });
    if (session === undefined) throw new Error('a code opened no session');
    tokens.push(session.token);
  }
  return tokens;
}

async function openServer(home: string): Promise<AsyncDisposable & { url: string; pid: number }> {
  const { url, process } = await startControlServer({ home });
  return {
    ...{ url, pid: process.pid },
    async [Symbol.asyncDispose]() {
      await process.stop();
    },
  };
}

interface Pages {
  /** How many points each of them heard. */
  heard: Uint32Array;
  close(): Promise<void>;
}

/** People open their pages one after the other; after a restart of the server all of them come at once. */
async function openPages(
  url: string,
  { tokens, topics, isAtOnce }: { tokens: readonly string[]; topics: string; isAtOnce: boolean },
): Promise<Pages> {
  const ending = new AbortController();
  const heard = new Uint32Array(tokens.length);
  const followed: Promise<void>[] = [];
  const open = async (token: string, index: number): Promise<void> => {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/v1/stream?topics=${topics}`, { signal: ending.signal, headers });
    if (!response.ok) throw new Error(`the stream answered ${response.status}`);
    const onPoints = (points: number): void => void (heard[index] = (heard[index] ?? 0) + points);
    followed.push(follow(response, ending.signal, onPoints));
  };
  if (isAtOnce) await Promise.all(tokens.map(open));
  else for (const [index, token] of tokens.entries()) await open(token, index);
  return {
    heard,
    async close() {
      ending.abort();
      await Promise.all(followed);
    },
  };
}

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
