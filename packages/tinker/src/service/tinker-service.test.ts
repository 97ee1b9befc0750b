import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import type { TinkerClientOptions } from '../create-tinker-client.ts';
import type { TinkerEvent } from '../events.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import type { FakeServerOptions } from '../testing/fake-server.fixture.ts';

const connect = (fake: FakeServer, options: TinkerClientOptions = {}) =>
  createTinkerClient({
    baseUrl: fake.url,
    env: {},
    timeoutMs: 10_000,
    heartbeatMs: false,
    random: () => 1,
    ...options,
  }).connect();

const datum = {
  tokens: Int32Array.of(1, 2),
  inputs: { target_tokens: Int32Array.of(2, 3), weights: Float32Array.of(1, 1) },
};

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function journalPath(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'lachesis-tinker-'));
  folders.push(folder);
  return path.join(folder, 'journal.jsonl');
}

test.each(['managed', 'skyrl', 'tuft'] as const)(
  'a process that was killed is continued by another on %s',
  async (kind) => {
    await using fake = await FakeServer.start({ kind, jobMs: 30 });
    const file = journalPath();
    const first = await connect(fake, { journalPath: file });
    const training = await first.createTraining({ baseModel: 'fake/model' });
    await training.optimStep({ learningRate: 0 });
    const pass = training.forwardBackward([datum], { loss: 'cross_entropy' });
    const step = training.optimStep({ learningRate: 0.25 });
    await Promise.all([pass.submitted, step.submitted]);
    // What a kill leaves: the file as it is now.
    const left = readFileSync(file, 'utf8');
    await Promise.all([pass, step]);
    const copy = journalPath();
    writeFileSync(copy, `${left}{"kind":"subm`);

    const events: TinkerEvent[] = [];
    const second = await connect(fake, { journalPath: copy, onEvent: (event) => events.push(event) });
    const { jobs, models } = await second.reattach();
    // A server that may run the step before its pass is sent the step when the pass was answered.
    const open =
      kind === 'skyrl'
        ? [['optim_step', 3]]
        : [
            ['forward_backward', 2],
            ['optim_step', 3],
          ];
    expect(jobs.map(({ operation, seqId }) => [operation, seqId])).toEqual(open);
    expect(events.filter(({ type }) => type === 'journal-line-skipped')).toHaveLength(1);
    const results = await Promise.all(jobs.map((job) => job.result()));
    expect(results.at(-1)).toMatchObject({ kind: 'fields', fields: { metrics: {} } });
    if (kind !== 'skyrl') expect(results[0]).toMatchObject({ kind: 'pass', output: { outputs: [{ logprobs: {} }] } });
    expect((await second.reattach()).jobs).toEqual([]);

    expect(models).toMatchObject([{ modelId: training.model.modelId, nextSeqId: 4, baseModel: 'fake/model' }]);
    const attached = await second.attachTraining({ modelId: models[0]!.modelId });
    await attached.forwardBackward([datum], { loss: 'cross_entropy' });
    await attached.optimStep({ learningRate: 0.25 });
    expect(fake.model.applied).toEqual([
      'optim_step',
      'forward_backward',
      'optim_step',
      'forward_backward',
      'optim_step',
    ]);
    await second.close({ leavesModels: true });
    await first.close();
  },
);

test('an attached model whose last request was not written finds its number again', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft' });
  const file = journalPath();
  const first = await connect(fake, { journalPath: file });
  const training = await first.createTraining({ baseModel: 'fake/model' });
  const before = readFileSync(file, 'utf8');
  await training.optimStep({ learningRate: 0.1 });
  await training.optimStep({ learningRate: 0.1 });
  writeFileSync(file, before);
  const second = await connect(fake, { journalPath: file });
  const attached = await second.attachTraining({ modelId: training.model.modelId });
  expect(attached.nextSeqId).toBe(3);
  await attached.saveState('found');
  await attached.saveState('again');
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step', 'save_weights', 'save_weights']);
  await Promise.all([first.close(), second.close()]);
});

test.each(['written', 'not written'])(
  'a killed process leaves a gradient that is %s down, and closing its model from another clears it',
  async (kind) => {
    await using fake = await FakeServer.start({ kind: 'skyrl' });
    const file = journalPath();
    const first = await connect(fake, { journalPath: file });
    const training = await first.createTraining({ baseModel: 'fake/model' });
    const before = readFileSync(file, 'utf8');
    await training.forwardBackward([datum], { loss: 'cross_entropy' });
    if (kind === 'not written') writeFileSync(file, before);
    const second = await connect(fake, { journalPath: file });
    await (await second.attachTraining({ modelId: training.model.modelId })).close();
    expect(fake.model.applied).toEqual(['forward_backward', 'optim_step', 'unload_model']);
    expect([fake.model.weight, fake.model.gradient]).toEqual([0, 0]);
    await second.close();
  },
);

test('what was closed is not found again', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft' });
  const file = journalPath();
  const service = await connect(fake, { journalPath: file });
  await service.createTraining({ baseModel: 'fake/model' });
  await service.close();
  const next = await connect(fake, { journalPath: file });
  expect(await next.reattach()).toEqual({ jobs: [], models: [] });
  await expect(next.attachTraining({ modelId: 'gone' })).rejects.toThrow(/no open model/);
  await next.close();
});

test('option beats environment beats the managed service', () => {
  const env = { TINKER_BASE_URL: 'http://from.environment/' };
  expect(createTinkerClient({ env, baseUrl: 'http://from.option' }).baseUrl).toBe('http://from.option');
  expect(createTinkerClient({ env }).baseUrl).toBe('http://from.environment');
  expect(createTinkerClient({ env: {} }).baseUrl).toMatch(/^https:/);
  expect(createTinkerClient({ env: { TINKER_API_KEY: 'tml-1' } }).headers()).toEqual({ 'x-api-key': 'tml-1' });
  expect(createTinkerClient({ env: { TINKER_API_KEY: 'tml-1' }, apiKey: '' }).headers()).toEqual({});
});

test('a key is exchanged for a token when the server wants that', async () => {
  await using fake = await FakeServer.start({ config: { pjwt_auth_enabled: true } });
  const service = await connect(fake, { apiKey: 'tml-key' });
  await service.close();
  const keys = fake.requests.map(({ path: address, headers }) => [address, String(headers['x-api-key']).slice(0, 3)]);
  expect(keys.slice(0, 4)).toEqual([
    ['client/config', 'tml'],
    ['auth/token', 'tml'],
    ['client/dynamic_config', 'eyJ'],
    ['get_server_capabilities', 'eyJ'],
  ]);
});

test('a wrong key is told as such and not repeated', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft', apiKey: 'tml-right' });
  await expect(connect(fake, { apiKey: 'tml-wrong' })).rejects.toMatchObject({ kind: 'auth', status: 403 });
  const error: unknown = await connect(fake, { apiKey: 'tml-wrong' }).catch((e: unknown) => e);
  expect(String(error)).not.toContain('tml-wrong');
  expect(fake.requests).toHaveLength(2);
});

test('a model is not made twice when the reply to its making is lost', async () => {
  await using fake = await FakeServer.start({ kind: 'skyrl' });
  const service = await connect(fake);
  fake.fault = ({ path: address, count }) =>
    address === 'create_model' && count === 0 ? { kind: 'drop-reply' } : undefined;
  await expect(service.createTraining({ baseModel: 'fake/model' })).rejects.toMatchObject({
    kind: 'transport',
    outcomeUnknown: true,
  });
  expect(fake.models.size).toBe(1);
  await service.close();
});

test('planned requests are sent with the credential', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft', apiKey: 'tml-right' });
  const service = await connect(fake, { apiKey: 'tml-right' });
  const training = await service.createTraining({ baseModel: 'fake/model' });
  const { path: saved } = await training.saveState('a');
  const [, , run, kind, name] = saved.split('/');
  await service.request({ method: 'DELETE', path: `api/v1/training_runs/${run}/checkpoints/${kind}/${name}` });
  await expect(service.request({ method: 'GET', path: 'api/v1/nothing', query: { limit: '1' } })).rejects.toMatchObject(
    { kind: 'not-found' },
  );
  await service.close();
});

test.each<[string, FakeServerOptions]>([
  ['managed', { kind: 'managed' }],
  ['skyrl', { kind: 'skyrl' }],
  ['tuft', { kind: 'tuft' }],
  ['unknown', { kind: 'skyrl', models: [{ model_name: 'm', speed: 3 }] }],
])('a server is known as %s by what it answers', async (name, options) => {
  await using fake = await FakeServer.start(options);
  const service = await connect(fake);
  expect(service.profile.name).toBe(name);
  await service.close();
});

test('what is known better than by probing is given', async () => {
  await using fake = await FakeServer.start({ kind: 'tuft' });
  const service = await connect(fake, { profile: { normalisation: 'token-mean-then-sequence-mean' } });
  expect(service.profile).toMatchObject({ name: 'tuft', normalisation: 'token-mean-then-sequence-mean' });
  await service.close();
});

test('the facts of a local model folder are read', async () => {
  await using fake = await FakeServer.start({ kind: 'skyrl', models: [{ model_name: '/models/tiny' }] });
  const files: Record<string, string> = {
    '/models/tiny/config.json': JSON.stringify({ vocab_size: 50, max_position_embeddings: 64, eos_token_id: 2 }),
    '/models/tiny/generation_config.json': JSON.stringify({ eos_token_id: [2, 3] }),
  };
  const service = await connect(fake, { readText: (file) => Promise.resolve(files[file]) });
  const training = await service.createTraining({ baseModel: '/models/tiny' });
  expect(training.model).toMatchObject({ vocabularySize: 50, maxLength: 64 });
  const sampler = await service.createSampler({ baseModel: '/models/tiny' });
  await sampler.sample({ prompt: Int32Array.of(1), params: { maxTokens: 3 } });
  expect(fake.bodies('asample')[0]).toMatchObject({ sampling_params: { stop: [2, 3] } });
  await service.close();
});
