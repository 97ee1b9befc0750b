import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

import { expect, test } from 'vitest';

import { listRunPaths } from './engine-paths.ts';
import { readEngineState } from './engine-state.ts';
import { makeFakeHome } from './fake-home.fixture.ts';
import { findEngine } from './find-engine.ts';
import { startEngine } from './start-engine.ts';
import { listEngineProcesses, stopEngine } from './stop-engine.ts';

test('an engine is started on loopback, found, and ended', async () => {
  await using fake = await makeFakeHome();
  const { home, model } = fake;
  expect(await findEngine({ home })).toBeUndefined();

  const engine = await startEngine({ home, model, port: 0 });
  expect(engine).toMatchObject({ modelDirectory: model, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect(await findEngine({ home })).toMatchObject({ state: 'ready', url: engine.url, pid: engine.pid });

  await Promise.all([engine.stop(), engine.stop()]);
  expect(await findEngine({ home })).toBeUndefined();
  expect(await stopEngine({ home })).toBe(false);
  expect(await readEngineState(listRunPaths(home).state)).toBeUndefined();
});

test('calls at once start one engine', async () => {
  await using fake = await makeFakeHome({ secondsUntilReady: 0.5 });
  const options = { home: fake.home, model: fake.model, port: 0 };
  const waits: string[] = [];
  const engines = await Promise.all(
    [1, 2, 3].map(() => startEngine({ ...options, onProgress: ({ step }) => void waits.push(step) })),
  );
  await using _engine = engines[0];
  expect(new Set(engines.map(({ pid }) => pid)).size).toBe(1);
  expect(await fake.countStarts()).toBe(1);
  expect(waits).toContain('wait');
});

test('it is not ready while only the API answers', async () => {
  await using fake = await makeFakeHome({ secondsUntilReady: 1 });
  const { home, model } = fake;
  const startedAt = performance.now();
  const seeStart = async (): Promise<void> => {
    await expect.poll(() => findEngine({ home })).toMatchObject({ state: 'starting' });
  };
  const [engine] = await Promise.all([startEngine({ home, model, port: 0 }), seeStart()]);
  await using _engine = engine;
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
});

test('an engine that ends while it starts is told with its last words, and leaves nothing', async () => {
  await using fake = await makeFakeHome({ failsWith: 7 });
  const { home, model } = fake;
  await expect(startEngine({ home, model, port: 0 })).rejects.toMatchObject({
    reason: 'start-failed',
    message: expect.stringContaining('code 7'),
    output: expect.stringContaining('no such model'),
  });
  expect(await readEngineState(listRunPaths(home).state)).toBeUndefined();
});

test('one that is not ready in time is ended', async () => {
  await using fake = await makeFakeHome({ secondsUntilReady: 60 });
  const { home, model } = fake;
  await expect(startEngine({ home, model, port: 0, readyTimeoutMs: 300 })).rejects.toMatchObject({
    reason: 'not-ready',
  });
  expect(await listEngineProcesses(listRunPaths(home).databaseUrl)).toEqual([]);
});

test('an aborted start ends what it started', async () => {
  await using fake = await makeFakeHome({ secondsUntilReady: 60 });
  const { home, model } = fake;
  const abort = new AbortController();
  const starting = startEngine({ home, model, port: 0, signal: abort.signal });
  setTimeout(() => abort.abort(new Error('enough')), 400);
  await expect(starting).rejects.toThrow(/enough|aborted/);
  expect(await listEngineProcesses(listRunPaths(home).databaseUrl)).toEqual([]);
});

test('an engine without a state file, or with one that cannot be read, is replaced and not joined by a second', async () => {
  await using fake = await makeFakeHome();
  const { home, model } = fake;
  const first = await startEngine({ home, model, port: 0 });
  await writeFile(listRunPaths(home).state, '{"half":');
  expect(await findEngine({ home })).toBeUndefined();
  await using second = await startEngine({ home, model, port: 0 });
  expect(second.pid).not.toBe(first.pid);
  const pids = (await listEngineProcesses(listRunPaths(home).databaseUrl)).map(({ pid }) => pid);
  expect(pids).toEqual([second.pid]);
});

test('an engine that was killed is started again', async () => {
  await using fake = await makeFakeHome();
  const { home, model } = fake;
  const first = await startEngine({ home, model, port: 0 });
  process.kill(first.pid, 'SIGKILL');
  await expect.poll(() => findEngine({ home })).toBeUndefined();
  await using second = await startEngine({ home, model, port: 0 });
  expect(await findEngine({ home })).toMatchObject({ state: 'ready', pid: second.pid });
});

test('an engine that does not end when asked is killed after the grace', async () => {
  await using fake = await makeFakeHome({ isStubborn: true });
  const { home, model } = fake;
  await startEngine({ home, model, port: 0 });
  expect(await stopEngine({ home, graceMs: 200 })).toBe(true);
  expect(await findEngine({ home })).toBeUndefined();
});

test('another model than the one that runs is refused', async () => {
  await using fake = await makeFakeHome();
  await using other = await makeFakeHome();
  const { home, model } = fake;
  await using engine = await startEngine({ home, model, port: 0 });
  await expect(startEngine({ home, model: other.model })).rejects.toMatchObject({ reason: 'other-engine-runs' });
  await expect(startEngine({ home, port: 1 })).rejects.toMatchObject({ reason: 'other-engine-runs' });
  expect((await startEngine({ home })).pid).toBe(engine.pid);
});

test('two folders have two engines', async () => {
  await using fake = await makeFakeHome();
  const { home, model } = fake;
  await using one = await startEngine({ home, model, port: 0 });
  await using two = await startEngine({ home, model, port: 0, runDirectory: `${home}/other` });
  await one.stop();
  expect(await findEngine({ home, runDirectory: `${home}/other` })).toMatchObject({ state: 'ready', pid: two.pid });
});

test('a port that is taken is refused before anything is started', async () => {
  await using fake = await makeFakeHome();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await expect(startEngine({ home: fake.home, model: fake.model, port })).rejects.toMatchObject({
    reason: 'port-taken',
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  expect(await fake.countStarts()).toBe(0);
});

test('the log of the start before is kept beside the one of this start', async () => {
  await using fake = await makeFakeHome();
  const { home, model } = fake;
  await (await startEngine({ home, model, port: 0 })).stop();
  await using engine = await startEngine({ home, model, port: 0 });
  expect(await readFile(listRunPaths(home).previousLog, 'utf8')).toContain('Starting background engine...');
  expect((await readFile(engine.logFile, 'utf8')).match(/Starting background/g)).toHaveLength(1);
});
