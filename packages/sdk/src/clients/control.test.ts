import { expect, test } from 'vitest';
import { ClientError } from './client-error.ts';
import { createControlClient } from './control.ts';
import { rlHealthCheck } from './rl-tools/health-check.ts';
import { refusal, stubControl } from './rl-tools/control-stub.fixture.ts';

/** A stream in the given pieces. */
function streamOf(...pieces: string[]): { body: ReadableStream<Uint8Array>; wasCancelled: () => boolean } {
  const encoder = new TextEncoder();
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(encoder.encode(piece));
    },
    cancel() {
      isCancelled = true;
    },
  });
  return { body, wasCancelled: () => isCancelled };
}

test('ids and queries are written so that a server reads them back', async () => {
  const { client, calls } = stubControl({});
  await expect(client.readRun('a/b')).rejects.toMatchObject({ status: 404 });
  await expect(client.listRuns({ status: 'running', limit: 3 })).rejects.toMatchObject({ code: 'not-found' });
  await expect(client.readMetrics('r', { series: 'reward/mean' })).rejects.toThrow(/no such thing/);
  await expect(client.listSteps('r', { item: 'a b', limit: 2 })).rejects.toMatchObject({ status: 404 });
  await expect(client.readStep('r', 3, { start: 128 })).rejects.toMatchObject({ status: 404 });
  await expect(client.readStepPayloads('r', 3)).rejects.toMatchObject({ status: 404 });
  await expect(client.readGroup('r', 'a/b', { tokens: false })).rejects.toMatchObject({ status: 404 });
  await expect(client.listImprovements({ model: 'm' })).rejects.toMatchObject({ status: 404 });
  await expect(client.readImprovement('a/b')).rejects.toMatchObject({ status: 404 });
  await expect(client.startImprovement({ model: 'm' })).rejects.toMatchObject({ status: 404 });
  await expect(client.stopImprovement('m')).rejects.toMatchObject({ status: 404 });
  await expect(client.resumeImprovement('m')).rejects.toMatchObject({ status: 404 });
  await expect(client.listJobs({ limit: 2, before: 'a b' })).rejects.toMatchObject({ status: 404 });
  await expect(client.readJob('a/b')).rejects.toMatchObject({ status: 404 });
  await expect(client.listModels({ name: 'a b' })).rejects.toMatchObject({ status: 404 });
  await expect(client.readModel('support@2')).rejects.toMatchObject({ status: 404 });
  await expect(client.promoteModel('support@2', { by: 'ada' })).rejects.toMatchObject({ status: 404 });
  await expect(client.rollBackModel('support', { by: 'ada' })).rejects.toMatchObject({ status: 404 });
  await expect(client.readLineage('model:support@2', { limit: 5 })).rejects.toMatchObject({ status: 404 });
  expect(calls.map(({ call }) => call)).toEqual([
    'GET /runs/a%2Fb',
    'GET /runs?status=running&limit=3',
    'GET /runs/r/metrics?series=reward%2Fmean',
    'GET /runs/r/steps?item=a+b&limit=2',
    'GET /runs/r/steps/3?start=128',
    'GET /runs/r/steps/3',
    'GET /runs/r/groups/a%2Fb?tokens=false',
    'GET /improvements?model=m',
    'GET /improvements/a%2Fb',
    'POST /improvements',
    'POST /improvements/m/stop',
    'POST /improvements/m/resume',
    'GET /jobs?limit=2&before=a+b',
    'GET /jobs/a%2Fb',
    'GET /models?name=a+b',
    'GET /models/support%402',
    'POST /models/support%402/promote',
    'POST /models/support/rollback',
    'GET /lineage/model%3Asupport%402?limit=5',
  ]);
});

test.each(['..', '.', '', '%2e%2e'])('%j is no id, and no call is made with it', async (id) => {
  const { client, calls } = stubControl({});
  const given = decodeURIComponent(id);
  for (const call of [
    client.readRun(given),
    client.stopRun(given),
    client.readMetrics(given),
    client.explainRun(given),
  ]) {
    await expect(call).rejects.toMatchObject({ code: 'invalid' });
  }
  await expect(client.readInferenceTest(given)).rejects.toMatchObject({ code: 'invalid' });
  await expect(client.selectEnvironment(given)).rejects.toMatchObject({ code: 'invalid' });
  await expect(client.followLog(given, 'env').next()).rejects.toMatchObject({ code: 'invalid' });
  expect(calls).toEqual([]);
});

test('a run with an idempotency key is tried again, and one without is not', async () => {
  const busy = () => refusal(503, 'unavailable', 'Busy.');
  const { client, calls } = stubControl({ 'POST /runs': busy }, { retryForMs: 120 });
  await expect(client.startRun({ idempotency_key: 'k' })).rejects.toBeInstanceOf(ClientError);
  const tries = calls.length;
  await expect(client.startRun()).rejects.toBeInstanceOf(ClientError);
  expect([tries > 1, calls.length - tries]).toEqual([true, 1]);
});

test('a log is read event by event, and hung up when the reader stops', async () => {
  const seen: (string | null)[] = [];
  const { body, wasCancelled } = streamOf(
    ': warm\n\nevent: lines\r\nid: 7\r\ndata: {"lines":',
    '["one"]}\r\n\r',
    '\nevent: other\ndata: {}\n\nevent: lines\nid: 12\ndata: {"lines":["two","three"]}\n\n',
  );
  const client = createControlClient({
    url: 'http://control.test',
    fetch: async (_url, init) => {
      seen.push(new Headers(init?.headers).get('last-event-id'));
      return new Response(body);
    },
  });
  const got: unknown[] = [];
  for await (const event of client.followLog('r', 'env', { offset: '3' })) {
    got.push(event);
    if (got.length === 2) break;
  }
  expect(got).toEqual([
    { lines: ['one'], offset: '7' },
    { lines: ['two', 'three'], offset: '12' },
  ]);
  expect([seen, wasCancelled()]).toEqual([['3'], true]);
});

test('a stream that ends says so, and one with nonsense is an error that names the call', async () => {
  const follow = async (text: string) => {
    const client = createControlClient({ url: 'http://control.test', fetch: async () => new Response(text) });
    const got: unknown[] = [];
    for await (const change of client.followMetrics('r')) got.push(change);
    return got;
  };
  const point = { series: 'reward/mean', step: 1, at: 2, value: 0.5 };
  const status = { run_id: 'r', status: 'completed', reason: null };
  const text = `event: metrics\nid: 4\ndata: ${JSON.stringify({ points: [point] })}\n\nevent: status\ndata: ${JSON.stringify(status)}\n\nevent: end\ndata: {}\n\nevent: metrics\ndata: never\n\n`;
  expect(await follow(text)).toEqual([
    { kind: 'metrics', points: [point], cursor: '4' },
    { kind: 'status', status, cursor: undefined },
  ]);
  await expect(follow('event: metrics\ndata: nonsense\n\n')).rejects.toMatchObject({
    code: 'unreadable-reply',
    call: 'GET /runs/r/metrics/stream',
  });
});

test('a server that is another one does not count as healthy', async () => {
  const told = { version: '1', engine: 'none', inference: 'ready' };
  const healthy = stubControl({ 'GET /health': { status: 'ok', service: 'control', library: 'x', ...told } });
  const other = stubControl({ 'GET /health': { status: 'ok' } });
  expect(
    await Promise.all([rlHealthCheck(healthy), rlHealthCheck(other), rlHealthCheck(stubControl({}))]),
  ).toMatchObject([
    { ...told, server: 'ok', message: expect.stringContaining('lachesis engine up') },
    { server: 'away', engine: 'unknown', inference: 'unknown', version: null },
    { server: 'away', message: expect.stringContaining('lachesis up') },
  ]);
});

test('a stream that breaks off, is refused, never begins or is given up says which', async () => {
  const follow = async (answer: typeof fetch, signal?: AbortSignal) => {
    const client = createControlClient({ url: 'http://control.test', fetch: answer });
    for await (const _lines of client.followLog('r', 'api', { signal })) continue;
  };
  const breaking = new ReadableStream({
    pull(controller) {
      controller.error(new Error('reset'));
    },
  });
  await expect(follow(async () => new Response(breaking))).rejects.toMatchObject({
    code: 'connection',
    reason: 'the stream broke off',
  });
  await expect(follow(async () => refusal(404, 'not-found', 'There is no run r.'))).rejects.toMatchObject({
    code: 'not-found',
    call: 'GET /runs/r/logs/api',
  });
  await expect(follow(() => Promise.reject(new TypeError('refused')))).rejects.toMatchObject({
    reason: 'the server does not answer',
  });
  const signal = AbortSignal.abort(new Error('the person left'));
  await expect(follow(() => Promise.reject(new TypeError('aborted')), signal)).rejects.toThrow('the person left');
});
