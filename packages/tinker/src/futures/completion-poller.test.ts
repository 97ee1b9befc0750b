import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import type { TinkerClientOptions } from '../create-tinker-client.ts';
import type { TinkerEvent } from '../events.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import type { FakeServerOptions } from '../testing/fake-server.fixture.ts';

async function open(server: FakeServerOptions = {}, client: TinkerClientOptions = {}) {
  const fake = await FakeServer.start({ ...server, config: { sample_use_retrieve_futures: true, ...server.config } });
  const events: TinkerEvent[] = [];
  const service = await createTinkerClient({
    baseUrl: fake.url,
    env: {},
    timeoutMs: 10_000,
    heartbeatMs: false,
    random: () => 1,
    onEvent: (event) => events.push(event),
    ...client,
  }).connect();
  return {
    fake,
    events,
    sampler: await service.createSampler({ baseModel: 'fake/model' }),
    async [Symbol.asyncDispose]() {
      await service.close({ timeoutMs: 2_000 });
      await fake.close();
    },
  };
}

const sample = { prompt: Int32Array.of(5, 6, 7), params: { maxTokens: 4 } };
const failed = (events: readonly TinkerEvent[]) => events.filter(({ type }) => type === 'operation-failed');

test('many samples are waited for with few questions, and each result is fetched once', async () => {
  await using setup = await open({ jobMs: 200 });
  const { fake, sampler, events } = setup;
  const startedAt = performance.now();
  const replies = await Promise.all(Array.from({ length: 200 }, () => sampler.sample(sample)));
  // A question every 50 ms at most, however long a busy machine takes, beside the first and the last.
  const most = 2 + (performance.now() - startedAt) / 50;
  expect(replies.every(({ sequences }) => sequences[0]!.tokens.length === 4)).toBe(true);
  expect(fake.count('retrieve_future')).toBe(200);
  expect(fake.count('retrieve_futures')).toBeLessThanOrEqual(most);
  expect(fake.bodies('retrieve_future').every((body) => body['allow_metadata_only'] === false)).toBe(true);
  expect(failed(events)).toEqual([]);
});

test('what was fetched is told with the next question, from the cursor of the answer before', async () => {
  await using setup = await open({ jobMs: 20 });
  const { fake, sampler } = setup;
  for (let count = 0; count < 3; count += 1) await sampler.sample(sample);
  const polls = fake.bodies('retrieve_futures');
  expect(polls.map((body) => body['prev_cursor'])).toEqual([0, 1, 2]);
  expect(polls.map((body) => body['retrieved_request_ids'])).toEqual([[], [expect.any(String)], [expect.any(String)]]);
  expect(polls[0]!['target']).toEqual({
    type: 'sampling_session',
    sampling_session_id: expect.any(String),
    cloned_sampler_id: 0,
  });
});

test('samples that end while the server fails are told when it is back', async () => {
  await using setup = await open({ jobMs: 20 });
  const { fake, sampler, events } = setup;
  fake.fault = ({ path, count }) => {
    if (path !== 'retrieve_futures' || count > 2) return undefined;
    return count === 1 ? { kind: 'drop-reply' } : { kind: 'status', status: 503, headers: { 'retry-after-ms': '20' } };
  };
  await Promise.all([sampler.sample(sample), sampler.sample(sample)]);
  expect(fake.count('retrieve_futures')).toBe(4);
  expect(failed(events)).toEqual([]);
});

test.each([
  ['does not have the address', { kind: 'status', status: 404 } as const],
  ['answers something else', { kind: 'status', status: 200, body: { completions: 'none' } } as const],
])('where the server %s each sample asks for itself', async (_what, fault) => {
  await using setup = await open({ jobMs: 50 });
  const { fake, sampler, events } = setup;
  fake.fault = ({ path }) => (path === 'retrieve_futures' ? fault : undefined);
  await Promise.all([sampler.sample(sample), sampler.sample(sample)]);
  await sampler.sample(sample);
  expect(fake.count('retrieve_futures')).toBe(1);
  expect(failed(events)).toMatchObject([{ operation: 'retrieve_futures' }]);
});

test('a sample that failed fails with its own reason', async () => {
  await using setup = await open({ jobMs: 20 });
  const { fake, sampler } = setup;
  fake.fault = ({ path, count }) =>
    path === 'retrieve_future' && count === 0
      ? { kind: 'status', status: 200, body: { error: 'out of memory', category: 'server' } }
      : undefined;
  await expect(sampler.sample(sample)).rejects.toMatchObject({ kind: 'job-failed', category: 'server' });
});

test('a wait ends at its deadline and at its signal, and the last one ends the question', async () => {
  await using setup = await open({ jobMs: 60_000, longPollMs: 60_000 });
  const { fake, sampler } = setup;
  const controller = new AbortController();
  const waits = [
    sampler.sample({ ...sample, timeoutMs: 200 }),
    sampler.sample({ ...sample, signal: controller.signal }),
  ];
  setTimeout(() => controller.abort(), 300);
  const outcomes = await Promise.allSettled(waits);
  expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)).toMatchObject([
    { kind: 'timeout' },
    { kind: 'abandoned' },
  ]);
  expect(fake.count('retrieve_future')).toBe(0);
  await expect.poll(() => fake.hangUps).toBe(1);
});
