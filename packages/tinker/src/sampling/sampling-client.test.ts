import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import type { TinkerClientOptions } from '../create-tinker-client.ts';
import type { TinkerEvent } from '../events.ts';
import { tokenLogprob } from '../testing/fake-model.fixture.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import type { FakeServerOptions } from '../testing/fake-server.fixture.ts';

async function open(server: FakeServerOptions = {}, client: TinkerClientOptions = {}) {
  const fake = await FakeServer.start(server);
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
    service,
    events,
    async [Symbol.asyncDispose]() {
      await service.close({ timeoutMs: 2_000 });
      await fake.close();
    },
  };
}

const prompt = Int32Array.of(5, 6, 7);
const params = { maxTokens: 4 };

test.each(['managed', 'skyrl', 'tuft'] as const)('samples with log probabilities on a server like %s', async (kind) => {
  for (const jsonResults of [false, true]) {
    await using setup = await open({ kind, jsonResults });
    const sampler = await setup.service.createSampler({ baseModel: 'fake/model', eosTokens: [9] });
    const reply = await sampler.sample({ prompt, samples: 2, params, promptLogprobs: true });
    const stops = kind === 'skyrl';
    expect(reply.sequences).toHaveLength(2);
    expect(reply.sequences[0]).toMatchObject({
      tokens: stops ? Int32Array.of(8, 9) : Int32Array.of(8, 9, 10, 11),
      stopReason: stops ? 'stop' : 'length',
      isAuthoritative: kind === 'managed',
    });
    expect(reply.sequences[0]!.logprobs[0]).toBeCloseTo(tokenLogprob(8, 0), 6);
    expect(reply.promptLogprobs).toEqual(Float32Array.of(Number.NaN, tokenLogprob(6, 0), tokenLogprob(7, 0)));
    expect(await sampler.computeLogprobs(prompt)).toEqual(reply.promptLogprobs);
    expect(new Set(reply.sequences.map(({ sequenceId }) => sequenceId)).size).toBe(2);
  }
});

test('a request holds nothing that was not asked for', async () => {
  await using setup = await open({ kind: 'tuft' });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  await sampler.sample({ prompt, params });
  expect(setup.fake.bodies('asample')[0]).toEqual({
    sampling_session_id: expect.any(String),
    seq_id: 0,
    num_samples: 1,
    prompt: { chunks: [{ type: 'encoded_text', tokens: [5, 6, 7] }] },
    sampling_params: { max_tokens: 4, temperature: 1 },
  });
});

test.each([
  ['an id outside the vocabulary', { prompt: Int32Array.of(1, 5000), params }, /prompt\[1\] is 5000/],
  ['an empty prompt', { prompt: new Int32Array(0), params }, /prompt is empty/],
  ['no maxTokens', { prompt, params: {} }, /maxTokens is missing/],
  ['no stop', { prompt, params: { maxTokens: 3 } }, /does not stop at the end-of-sequence/],
  ['an empty stop list', { prompt, params: { maxTokens: 3, stop: [] } }, /empty list/],
  ['too many tokens', { prompt, params: { maxTokens: 4095, stop: [2] } }, /exceed the 4096/],
])('%s is refused before anything is sent', async (_what, options, message) => {
  await using setup = await open({ kind: 'skyrl' });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model', vocabularySize: 1000, maxLength: 4096 });
  await expect(sampler.sample(options)).rejects.toThrow(message);
  expect(setup.fake.count('asample')).toBe(0);
});

test('a stop text is a list where the server wants one', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  await sampler.sample({ prompt, params: { maxTokens: 3, stop: '\n' } });
  expect(setup.fake.bodies('asample')[0]).toMatchObject({ sampling_params: { stop: ['\n'] } });
});

test('on a server that mixes weights, old checkpoints are sampled through models of their own', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { fake, service } = setup;
  const training = await service.createTraining({ baseModel: 'fake/model' });
  const { model } = fake;
  const sampled = async (sampler: Awaited<ReturnType<typeof service.createSampler>>) =>
    (await sampler.sample({ prompt, params: { maxTokens: 1, stop: [0] } })).sequences[0]!.logprobs[0]! -
    tokenLogprob(8, 0);
  const samplers = [];
  for (const weight of [0.125, 0.25, 0.5]) {
    model.weight = weight;
    samplers.push(await service.createSampler({ training }));
  }
  model.weight = 1;
  const { path } = await training.saveForSampler('named');
  model.weight = 2;
  const named = await service.createSampler({ modelPath: path });
  const seen = [];
  for (const sampler of [...samplers, named, samplers[0]!]) seen.push(await sampled(sampler));
  for (const [index, weight] of [0.125, 0.25, 0.5, 1, 0.125].entries()) expect(seen[index]).toBeCloseTo(weight, 6);
  expect(model.weight).toBe(2);
  // Two places at once, whatever the number of samplers.
  const open_ = [...fake.models.values()].filter(
    ({ id, applied }) => id !== model.id && !applied.includes('unload_model'),
  );
  expect(open_.length).toBeLessThanOrEqual(2);
});

test('the fault is real: sampled directly, an old checkpoint overwrites the weights in training', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { fake, service } = setup;
  const training = await service.createTraining({ baseModel: 'fake/model' });
  const [old] = [
    await service.createSampler({ training, isolation: 'shared' }),
    await training.saveForSampler('newer'),
  ];
  fake.model.weight = 3;
  await old.sample({ prompt, params: { maxTokens: 1, stop: [0] } });
  expect(fake.model.weight).toBe(0);
});

test('a push-back pauses, halves the limit, and the same sample goes again', async () => {
  await using setup = await open();
  const { fake, service, events } = setup;
  fake.fault = ({ path, count }) =>
    path === 'asample' && count === 0
      ? { kind: 'status', status: 429, headers: { 'retry-after-ms': '60' } }
      : undefined;
  const sampler = await service.createSampler({ baseModel: 'fake/model' });
  await sampler.sample({ prompt, params });
  expect(fake.bodies('asample').map((body) => body['seq_id'])).toEqual([0, 0]);
  expect(events.filter(({ type }) => type === 'sampling-limited')).toEqual([
    { type: 'sampling-limited', limit: 1000, pausedMs: 60 },
  ]);
  expect(fake.requests.find(({ path }) => path === 'asample')?.headers['x-tinker-sampling-backpressure']).toBe('1');
});

test('no more samples are under way than the server bears', async () => {
  await using setup = await open({ config: { sample_max_concurrent_requests: 5 }, jobMs: 20 });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  let most = 0;
  const all = Array.from({ length: 40 }, () => sampler.sample({ prompt, params }));
  const watch = setInterval(() => (most = Math.max(most, sampler.limits.inFlight)), 1);
  await Promise.all(all);
  clearInterval(watch);
  expect(most).toBe(5);
  expect(sampler.limits).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a result that is gone is sampled again, a few times', async () => {
  await using setup = await open();
  const { fake, service } = setup;
  fake.fault = ({ path, count }) =>
    path === 'retrieve_future' && count === 0 ? { kind: 'status', status: 410 } : undefined;
  const sampler = await service.createSampler({ baseModel: 'fake/model' });
  await sampler.sample({ prompt, params });
  expect(fake.count('asample')).toBe(2);
  fake.fault = ({ path }) => (path === 'retrieve_future' ? { kind: 'status', status: 410 } : undefined);
  await expect(sampler.sample({ prompt, params })).rejects.toMatchObject({ kind: 'promise-expired' });
  expect(fake.count('asample')).toBe(6);
});

test('an aborted sample is cancelled on the server', async () => {
  await using setup = await open({ jobMs: 500 });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  const controller = new AbortController();
  const sample = sampler.sample({ prompt, params, signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await expect(sample).rejects.toMatchObject({ kind: 'abandoned' });
  await expect.poll(() => setup.fake.cancelled.length).toBe(1);
  expect(sampler.limits.inFlight).toBe(0);
});

test('a sample that does not come ends at its deadline', async () => {
  await using setup = await open({ jobMs: 5_000 });
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  const start = performance.now();
  await expect(sampler.sample({ prompt, params, timeoutMs: 200 })).rejects.toMatchObject({ kind: 'timeout' });
  expect(performance.now() - start).toBeLessThan(1_500);
});

test('a closed sampler refuses further samples', async () => {
  await using setup = await open();
  const sampler = await setup.service.createSampler({ baseModel: 'fake/model' });
  await Promise.all([sampler.close(), sampler.close()]);
  await expect(sampler.sample({ prompt, params })).rejects.toMatchObject({ kind: 'stopped' });
});

test('a sampler has one source', async () => {
  await using setup = await open();
  await expect(setup.service.createSampler({})).rejects.toThrow(/one of them alone/);
});
