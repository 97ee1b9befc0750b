import type { z } from 'zod';
import {
  type runEventListSchema,
  runListSchema,
  runMetricsSchema,
  runStartSchema,
  runStatusSchema,
  type RunList,
  type RunStart,
  type RunStatus,
} from '@lachesis/protocol';
import { findOrCreateRun, recordMetricPoints } from '@lachesis/store';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { lookBehind, type Look } from './streams/metrics.ts';
import { createControlBench, type ControlBench } from './bench.fixture.ts';

type RunEventList = z.infer<typeof runEventListSchema>;

/** Processes that sleep; what answers for them is not asked, because none has a place to ask. */
const openBench = (): Promise<ControlBench> =>
  createControlBench({}, undefined, {
    runs: {
      isSupervising: true,
      times: { tickMs: 50 },
      findEngineUrl: async () => undefined,
      configurator: (real) => ({
        ...real,
        resolve: async () => ({
          ...{ environment: 'toy', config: { group_size: 4 }, environmentFile: {}, totalSteps: 9 },
          recipe: { env: {}, openai: [{}], tinker: {} },
          ...{ wandbProject: null, wandbRunName: 'toy-1' },
        }),
      }),
      plan: () => () => {
        const plan = {
          file: '/bin/sh',
          arguments: ['-c', 'echo up; sleep 60'],
          env: { PATH: process.env['PATH'] },
        };
        return { statusUrl: 'http://127.0.0.1:1/', processes: { api: plan, trainer: plan, env: plan } };
      },
    },
  });

test('a run is started, watched, listed and stopped, every answer with 200 and in its shape', async () => {
  await using bench = await openBench();
  const started = await bench.call('POST', '/runs', { body: {} });
  expect(started.status).toBe(200);
  const { run_id: id, status, config_path: path, logs } = runStartSchema.parse(started.json);
  expect([status, id.length]).toEqual(['starting', 8]);
  expect(await readFile(path, 'utf8')).toContain(`/run/${id}`);
  const look = async (): Promise<RunStatus> => runStatusSchema.parse((await bench.call('GET', `/runs/${id}`)).json);
  await expect.poll(async () => (await look()).status, { timeout: 10_000 }).toBe('running');
  expect((await look()).processes).toEqual({ api: 'running', trainer: 'running', env: 'running' });

  // Nothing like it was run before.
  expect((await look()).estimated_seconds).toBeNull();
  const { runId } = await findOrCreateRun({ store: bench.store, tenantId: 'local', name: id });
  const points = [1, 2, 3].flatMap((step) =>
    ['train/loss', 'reward/mean'].map((series) => ({ series, step, at: step, value: step / 2 })),
  );
  await recordMetricPoints({ store: bench.store, tenantId: 'local', runId, points });
  expect((await look()).metrics).toEqual({ step: 3, state: 'running', loss: 1.5, reward_mean: 1.5 });
  const measured = ['train/percent_correct', 'eval/percent_correct'].map((series, index) => ({
    ...{ series, step: 4, at: 4, value: index / 2 },
  }));
  await recordMetricPoints({ store: bench.store, tenantId: 'local', runId, points: measured });
  // Environments are a step ahead of the trainer at times: what it has done is the trainer's to say.
  expect((await look()).metrics).toMatchObject({ step: 3, percent_correct: 0, eval_percent_correct: 0.5 });
  const asked = `/runs/${id}/metrics?limit=2&series=reward/mean,train/loss`;
  const metrics = runMetricsSchema.parse((await bench.call('GET', asked)).json);
  expect(metrics.final_metrics).toEqual({
    ...{ 'train/loss': 1.5, 'reward/mean': 1.5, 'train/percent_correct': 0, 'eval/percent_correct': 0.5 },
  });
  expect(metrics.history).toEqual([
    { step: 2, 'reward/mean': 0.75, 'train/loss': 0.75 },
    { step: 3, 'reward/mean': 1.5, 'train/loss': 1.5 },
  ]);

  const stopped = await bench.call('POST', `/runs/${id}/stop`);
  expect([stopped.status, stopped.json]).toMatchObject([200, { status: 'stopping', run_id: id }]);
  await expect.poll(async () => (await look()).status, { timeout: 15_000 }).toBe('stopped');
  expect((await bench.call('POST', `/runs/${id}/stop`)).json).toMatchObject({ status: 'stopped' });
  const ended = await look();
  expect(ended.reason).toBe('was stopped: asked for over HTTP');
  // Three steps of nine.
  expect(ended.estimated_seconds).toBe(Math.round((ended.ended_at! - ended.started_at!) * 3e-3));
  const list: RunList = runListSchema.parse((await bench.call('GET', '/runs')).json);
  expect(list).toMatchObject({ count: 1, next: null, runs: [{ run_id: id, status: 'stopped' }] });
  const { events } = (await bench.call('GET', `/runs/${id}/events`)).json as RunEventList;
  expect(
    events
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith('run-'))
      .at(-1),
  ).toBe('run-stopped');

  await appendFile(logs.trainer, 'one\ntwo\n');
  const { text } = await bench.call('GET', `/runs/${id}/logs/trainer`);
  expect(text).toBe('id: 11\nevent: lines\ndata: {"lines":["up","one","two"]}\n\nid: 11\nevent: end\ndata: {}\n\n');
  const stream = (await bench.call('GET', `/runs/${id}/metrics/stream`)).text;
  expect(stream).toMatch(/^id: 3\nevent: metrics\n[^]*event: status\n[^]*"status":"stopped"[^]*event: end\n/);
}, 40_000);

test('a log is followed from the byte a client has', async () => {
  await using bench = await openBench();
  const { run_id: id, logs } = (await bench.call('POST', '/runs', { body: {} })).json as RunStart;
  await mkdir(dirname(logs.env), { recursive: true });
  await expect.poll(() => readFile(logs.env, 'utf8').catch(() => ''), { timeout: 10_000 }).toBe('up\n');
  await appendFile(logs.env, 'next\n');
  const reply = await bench.control.app.inject({
    ...{ method: 'GET', url: `/runs/${id}/logs/env?follow=false` },
    headers: { host: 'localhost', 'last-event-id': '3' },
  });
  expect(reply.body).toContain('id: 8\nevent: lines\ndata: {"lines":["next"]}');
  expect((await bench.call('GET', `/runs/${id}/logs/other`)).status).toBe(404);
  await bench.call('POST', `/runs/${id}/stop`);
  await expect
    .poll(async () => ((await bench.call('GET', `/runs/${id}`)).json as RunStatus).status, { timeout: 15_000 })
    .toBe('stopped');
}, 40_000);

test('the same key starts one run; what is not known is refused with what to do', async () => {
  await using bench = await openBench();
  const send = async (): Promise<string> =>
    ((await bench.call('POST', '/runs', { body: { idempotency_key: 'k' } })).json as RunStart).run_id;
  const id = await send();
  expect(await send()).toBe(id);
  expect((await bench.call('GET', '/runs/nobody')).json).toMatchObject({ error: { code: 'not-found' } });
  expect((await bench.call('POST', '/runs', { body: { enviroment: 'x' } })).status).toBe(422);
  await bench.call('POST', `/runs/${id}/stop`);
  await expect
    .poll(async () => ((await bench.call('GET', `/runs/${id}`)).json as RunStatus).status, { timeout: 15_000 })
    .toBe('stopped');
}, 40_000);

test('who follows metrics is told each point once, whether the environment is ahead of the trainer or late', async () => {
  await using bench = await openBench();
  const { run_id: id } = (await bench.call('POST', '/runs', { body: {} })).json as RunStart;
  await bench.call('POST', `/runs/${id}/stop`);
  const { runId } = await findOrCreateRun({ store: bench.store, tenantId: 'local', name: id });
  const write = (series: string, step: number): Promise<void> =>
    recordMetricPoints({ store: bench.store, tenantId: 'local', runId, points: [{ series, step, at: 1, value: 0 }] });
  let behind: Look['ends'];
  const look = async (floor = -1): Promise<string[]> => {
    const found = await lookBehind(bench.control.runs.deps, { tenantId: 'local', shortId: id, behind, floor });
    behind = found.ends;
    return found.points.map(({ series, step }) => `${series} ${step}`);
  };
  await write('train/percent_correct', 1);
  expect(await look()).toEqual(['train/percent_correct 1']);
  await write('time/step', 1);
  await write('train/percent_correct', 2);
  expect(await look()).toEqual(['time/step 1', 'train/percent_correct 2']);
  await write('time/step', 2);
  await write('time/step', 3);
  expect(await look()).toEqual(['time/step 2', 'time/step 3']);
  await write('eval/percent_correct', 2);
  expect(await look()).toEqual(['eval/percent_correct 2']);
  expect(await look()).toEqual([]);
  behind = undefined;
  expect(await look(2)).toEqual(['time/step 3']);
  await write('eval/percent_correct', 3);
  expect(await look(2)).toEqual(['eval/percent_correct 3']);
}, 40_000);

test('runs are compared by their ids, two at least', async () => {
  await using bench = await openBench();
  const start = async (): Promise<string> =>
    ((await bench.call('POST', '/runs', { body: {} })).json as RunStart).run_id;
  const [one, other] = [await start(), await start()];
  const compared = await bench.call('GET', `/runs/compare?runs=${one},${other}`);
  expect([compared.status, compared.json]).toMatchObject([
    200,
    { runs: [{ run_id: one }, { run_id: other }], settings: [], evaluations: [] },
  ]);
  expect((await bench.call('GET', `/runs/compare?runs=${one},${one}`)).status).toBe(422);
  expect((await bench.call('GET', `/runs/compare?runs=${one},nobody00`)).status).toBe(404);
});

test('a fork tells the run it came from, and one of a run that is not there is refused', async () => {
  await using bench = await openBench();
  const start = async (body: object): Promise<string> =>
    runStartSchema.parse((await bench.call('POST', '/runs', { body })).json).run_id;
  const stop = async (run: string): Promise<void> => {
    await bench.call('POST', `/runs/${run}/stop`);
    const look = async (): Promise<string> => ((await bench.call('GET', `/runs/${run}`)).json as RunStatus).status;
    await expect.poll(look, { timeout: 15_000 }).toBe('stopped');
  };
  const first = await start({});
  await stop(first);
  const fork = await start({ fork_of: first });
  expect((await bench.call('POST', '/runs', { body: { fork_of: 'nobody00' } })).status).toBe(404);
  const { runs } = runListSchema.parse((await bench.call('GET', '/runs')).json);
  expect(runs.map(({ run_id: run, fork_of: from }) => [run, from])).toEqual([
    [fork, first],
    [first, null],
  ]);
  expect((await bench.call('GET', `/runs/${fork}`)).json).toMatchObject({ fork_of: first });
  await stop(fork);
}, 40_000);
