import { createIdSource } from '@lachesis/protocol';
import { createTrainingRun, findOrCreateRun, findTrainingRun, recordMetricPoints, type Store } from '@lachesis/store';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createControlBench, makeToken, type ControlBench } from './bench.fixture.ts';
import { createTicks } from './streams/ticks.ts';
import { openTopic, type TopicDeps } from './streams/topics.ts';

const ids = createIdSource();
let bench: ControlBench;
let url: string;
let token: string;
let log: string;

const createRun = (store: Store, shortId: string) =>
  createTrainingRun({
    ...{ store, tenantId: 'a', environment: 'toy', ids, config: { values: {} }, details: () => ({}) },
    processes: () => ({
      api: { logPath: '/nowhere', port: 1 },
      trainer: { logPath: log, port: 2 },
      env: { logPath: '/nowhere', port: null },
    }),
    nextShortId: () => shortId,
  });

async function addPoints(steps: readonly number[]): Promise<void> {
  const { runId } = await findOrCreateRun({ store: bench.store, tenantId: 'a', name: 'run00001' });
  const points = steps.map((step) => ({ series: 'train/loss', step, at: step, value: step / 10 }));
  await recordMetricPoints({ store: bench.store, tenantId: 'a', runId, points });
}

beforeAll(async () => {
  bench = await createControlBench();
  token = await makeToken(bench.store, 'a', ['view']);
  log = join(bench.home, 'trainer.log');
  await writeFile(log, 'one\ntwo\n');
  await createRun(bench.store, 'run00001');
  await addPoints([1, 2, 3]);
  await bench.control.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(bench.control.app.server.address() as AddressInfo).port}`;
});

afterAll(() => bench[Symbol.asyncDispose]());

interface StreamedEvent {
  event: string;
  topic: string;
  at: number | null;
  [name: string]: unknown;
}

/** Reads events until enough came. */
async function read(topics: string, isEnough: (seen: StreamedEvent[]) => boolean): Promise<StreamedEvent[]> {
  const gone = new AbortController();
  const reply = await fetch(`${url}/v1/stream?topics=${encodeURIComponent(topics)}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(30_000)]),
  });
  expect(reply.status).toBe(200);
  const seen: StreamedEvent[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of reply.body ?? []) {
    const blocks = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined)
        seen.push({ event, ...(JSON.parse(data) as Omit<StreamedEvent, 'event'>) } as StreamedEvent);
    }
    if (isEnough(seen)) break;
  }
  gone.abort();
  return seen;
}

const steps = (seen: readonly StreamedEvent[]) =>
  seen.flatMap(({ event, points }) =>
    event === 'metrics' ? (points as { step: number }[]).map(({ step }) => step) : [],
  );

test('several topics come on one connection, and each goes on where its reader was', async () => {
  const topics = ['runs', 'metrics:run00001', 'events:run00001', 'logs:run00001:trainer'];
  const first = await read(topics.join(','), (seen) => new Set(seen.map(({ topic }) => topic)).size === 4);
  const of = (name: string) => first.filter(({ topic }) => topic === name);
  expect(of('runs')).toMatchObject([{ event: 'runs', at: null, runs: [{ run_id: 'run00001' }] }]);
  expect(steps(of('metrics:run00001'))).toEqual([1, 2, 3]);
  expect(of('metrics:run00001').map(({ event }) => event)).toContain('status');
  expect(of('logs:run00001:trainer')).toMatchObject([{ event: 'lines', at: 8, lines: ['one', 'two'] }]);
  expect(of('events:run00001')[0]).toMatchObject({ event: 'events', run_id: 'run00001' });

  // Meanwhile, with nobody there:
  await addPoints([4]);
  await writeFile(log, 'one\ntwo\nthree\n');
  const last = (name: string) => of(name).at(-1)?.at;
  const back = topics.slice(1).map((name) => `${name}@${last(name)}`);
  const second = await read(
    back.join(','),
    (seen) => steps(seen).length > 0 && seen.some(({ event }) => event === 'lines'),
  );
  expect(steps(second)).toEqual([4]);
  expect(second.filter(({ event }) => event === 'lines')).toMatchObject([{ at: 14, lines: ['three'] }]);
  expect(second.filter(({ event }) => event === 'events')).toEqual([]);
});

test('what comes is told as it comes, and a new run too', async () => {
  const seen = read(
    'runs,metrics:run00001@4',
    (events) => steps(events).length > 0 && events.filter(({ event }) => event === 'runs').length > 1,
  );
  await createRun(bench.store, 'run00002');
  await addPoints([5]);
  // The first look may already find it.
  const added = setInterval(() => void createRun(bench.store, `run1${String(Math.random()).slice(2, 6)}`), 1_000);
  const events = await seen.finally(() => clearInterval(added));
  expect(steps(events)).toEqual([5]);
});

test('who stands where others stand is told the same bytes, which are read and written once', async () => {
  let reads = 0;
  const find = async (tenantId: string, shortId: string) => {
    reads += 1;
    return (await findTrainingRun({ store: bench.store, tenantId, shortId }))!;
  };
  const deps = { store: bench.store, runs: { find } } as unknown as TopicDeps;
  const ticks = createTicks({ everyMs: 60_000 });
  const asked = ['metrics:run00001', 'metrics:run00001', 'metrics:run00001@2', 'metrics:run00001@3'];
  let places = await Promise.all(asked.map((topic) => openTopic(deps, 'a', topic)));
  const look = async () => {
    reads = 0;
    const looks = await Promise.all(places.map((place) => ticks.join(place.key, place.look)));
    places = looks.map(({ next }) => next);
    return { reads, events: looks.map(({ events }) => events) };
  };
  const first = await look();
  expect(first.reads).toBe(3);
  expect(first.events[1]).toBe(first.events[0]);
  // Each came from somewhere else, and now they stand at one place.
  await addPoints([7]);
  const second = await look();
  expect(second.reads).toBe(1);
  expect(new Set(second.events).size).toBe(1);
  expect(String(second.events[0])).toMatch(/^id: metrics:run00001@7\nevent: metrics\ndata: .*"step":7/);
  const before = [...places];
  expect(await look()).toEqual({ reads: 1, events: [undefined, undefined, undefined, undefined] });
  expect(places).toEqual(before);
});

test('what cannot be followed is refused before the stream begins', async () => {
  const status = async (topics: string, given = token) =>
    (await bench.call('GET', `/v1/stream?topics=${encodeURIComponent(topics)}`, { token: given })).status;
  for (const wrong of [
    '',
    ',',
    'all',
    'runs:x',
    'metrics',
    'metrics:',
    'metrics:run00001:x',
    'metrics:run00001@x',
    'metrics:run00001@1@2',
    'logs:run00001',
    'logs:run00001:nobody',
    Array.from({ length: 65 }, (_, index) => `metrics:${index}`).join(','),
  ])
    expect([wrong, await status(wrong)]).toEqual([wrong, 422]);
  expect(await status('metrics:nobody00')).toBe(404);
  const other = await makeToken(bench.store, 'b', ['view']);
  expect(await status('events:run00001', other)).toBe(404);
});
