import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import type { TinkerClientOptions } from '../create-tinker-client.ts';
import type { Datum } from '../codec/datum.ts';
import { TinkerStoppedError } from '../errors/client-errors.ts';
import { TinkerConflictError, TinkerJobFailedError, TinkerValidationError } from '../errors/server-errors.ts';
import type { TinkerEvent } from '../events.ts';
import { tokenLogprob } from '../testing/fake-model.fixture.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import type { FakeServerOptions } from '../testing/fake-server.fixture.ts';

async function open(server: FakeServerOptions = {}, client: TinkerClientOptions = {}) {
  const fake = await FakeServer.start(server);
  const events: TinkerEvent[] = [];
  const service = await createTinkerClient({
    baseUrl: fake.url,
    apiKey: 'tml-secret-key',
    env: {},
    timeoutMs: 10_000,
    heartbeatMs: false,
    random: () => 1,
    onEvent: (event) => events.push(event),
    ...client,
  }).connect();
  const training = await service.createTraining({ baseModel: 'fake/model', rank: 8, vocabularySize: 1000 });
  return {
    fake,
    service,
    training,
    events,
    eventsOf: <T extends TinkerEvent['type']>(type: T) =>
      events.filter((event) => event.type === type) as Extract<TinkerEvent, { type: T }>[],
    async [Symbol.asyncDispose]() {
      await service.close({ timeoutMs: 2_000 });
      await fake.close();
    },
  };
}

const supervised = (tokens: readonly number[]): Datum => ({
  tokens: Int32Array.from(tokens.slice(0, -1)),
  inputs: {
    target_tokens: Int32Array.from(tokens.slice(1)),
    weights: new Float32Array(tokens.length - 1).fill(1),
  },
});

const reinforced = (tokens: readonly number[], advantages: readonly number[], weight = 0): Datum => ({
  tokens: Int32Array.from(tokens.slice(0, -1)),
  inputs: {
    target_tokens: BigInt64Array.from(tokens.slice(1), BigInt),
    logprobs: Float32Array.from(tokens.slice(1), (token) => tokenLogprob(token, weight)),
    advantages: Float32Array.from(advantages),
  },
});

test.each(['managed', 'skyrl', 'tuft'] as const)(
  'trains on a server like %s with calls made ahead of results',
  async (kind) => {
    await using setup = await open({ kind, jobMs: 5 });
    const { training, fake, service } = setup;
    expect(service.profile.name).toBe(kind);
    const datum = supervised([1, 2, 3, 4]);
    const steps = Array.from({ length: 4 }, () => {
      const pass = training.forwardBackward([datum, datum], { loss: 'cross_entropy' });
      return [pass, training.optimStep({ learningRate: 0.01 })] as const;
    });
    const losses: number[] = [];
    for (const [pass, step] of steps) {
      losses.push((await pass).metrics['loss:sum']!);
      await step;
    }
    expect(losses).toEqual([...losses].toSorted((left, right) => right - left));
    expect(fake.model.applied).toEqual(Array.from({ length: 4 }, () => ['forward_backward', 'optim_step']).flat());
    expect((await training.forward([datum])).logprobs[0]).toEqual(
      Float32Array.from([2, 3, 4], (token) => tokenLogprob(token, fake.model.weight)),
    );
  },
);

test('one learning rate means one thing: the step is the sum on a server that takes means', async () => {
  const datums = [reinforced([1, 2, 3, 4, 5], [1, 0, 0.5, -2]), reinforced([5, 6, 7], [0.25, 3])];
  const weights: number[] = [];
  for (const kind of ['managed', 'skyrl'] as const) {
    for (const loss of ['importance_sampling', 'ppo', 'cispo']) {
      await using setup = await open({ kind });
      const result = setup.training.forwardBackward(datums, { loss });
      await setup.training.optimStep({ learningRate: 0.1 });
      expect((await result).normalisation).toBe('sum');
      weights.push(setup.fake.model.weight);
    }
  }
  for (const weight of weights) expect(weight).toBeCloseTo(0.275, 6);
});

test('the server’s own normalisation is kept when it is asked for, and cross entropy says that it has it', async () => {
  await using setup = await open({ kind: 'skyrl' }, { normalisation: 'server' });
  const { training, fake } = setup;
  await training.forwardBackward([reinforced([1, 2, 3], [1, 1])], { loss: 'importance_sampling' });
  await training.optimStep({ learningRate: 1 });
  expect(fake.model.weight).toBeCloseTo(1, 6);
  await using summed = await open({ kind: 'skyrl' });
  const pass = await summed.training.forwardBackward([supervised([1, 2, 3])], { loss: 'cross_entropy' });
  expect([pass.normalisation, pass.computedMetrics]).toEqual(['server', ['loss:sum']]);
  expect(pass.metrics['loss:sum']).toBeCloseTo(2.5, 5);
  expect(summed.eventsOf('normalisation-differs')).toHaveLength(1);
});

test('several calls in one step are summed when their number is given, and reported when it is not', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, fake, eventsOf } = setup;
  const options = { loss: 'importance_sampling', sequencesInStep: 3 };
  await training.forwardBackward([reinforced([1, 2], [1]), reinforced([3, 4, 5], [2, 3])], options);
  await training.forwardBackward([reinforced([6, 7], [4])], options);
  await training.optimStep({ learningRate: 0.1 });
  expect(fake.model.weight).toBeCloseTo(1, 6);
  expect(eventsOf('normalisation-differs')).toHaveLength(0);
  await training.forwardBackward([reinforced([1, 2], [1], 1)], { loss: 'ppo' });
  await training.forwardBackward([reinforced([1, 2], [1], 1)], { loss: 'ppo' });
  expect(eventsOf('normalisation-differs')).toHaveLength(1);
});

test('a batch is split by number and its results are joined in order', async () => {
  await using setup = await open({ config: { fwdbwd_max_chunk_len: 2 } });
  const datums = Array.from({ length: 5 }, (_, index) => supervised([index, index + 1, index + 2]));
  const pass = await setup.training.forwardBackward(datums, { loss: 'cross_entropy' });
  expect(setup.fake.count('forward_backward')).toBe(3);
  expect(pass.logprobs.map((each) => Math.round(each[0]! * -10))).toEqual([11, 12, 13, 14, 15]);
  expect(pass.metrics['loss:sum']).toBeCloseTo(
    -pass.logprobs.flatMap((each) => [...each]).reduce((a, b) => a + b, 0),
    4,
  );
});

test('a part of a batch is encoded while the one before is on its way', async () => {
  await using setup = await open({ config: { fwdbwd_max_chunk_len: 1 } });
  const datums = [1, 2].map((token) => supervised([token, token + 1]));
  setup.fake.fault = ({ path, count }) => {
    if (path !== 'forward_backward' || count > 0) return undefined;
    setTimeout(() => (datums[1]!.inputs['target_tokens'] as Int32Array).fill(9), 50);
    return { kind: 'delay', ms: 100 };
  };
  const pass = await setup.training.forwardBackward(datums, { loss: 'cross_entropy' });
  expect(pass.logprobs.map((each) => Math.round(each[0]! * -10))).toEqual([12, 13]);
});

test('what was encoded ahead in a form that the server refuses is encoded anew', async () => {
  await using setup = await open({ config: { fwdbwd_max_chunk_len: 1 }, jsonRequests: true });
  const datums = [1, 2, 3].map((token) => supervised([token, token + 1]));
  const pass = await setup.training.forwardBackward(datums, { loss: 'cross_entropy' });
  expect(pass.logprobs.map((each) => Math.round(each[0]! * -10))).toEqual([12, 13, 14]);
  const forms = setup.fake.requests
    .filter(({ path }) => path === 'forward_backward')
    .map(({ headers }) => headers['content-type']);
  expect(forms).toEqual(['application/x-protobuf', ...Array.from({ length: 3 }, () => 'application/json')]);
});

test('chunks go out together, the first one last, where the server allows it', async () => {
  await using setup = await open({ config: { fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: true } });
  const datums = [1, 2, 3].map((token) => supervised([token, token + 1]));
  const pass = await setup.training.forwardBackward(datums, { loss: 'cross_entropy' });
  await setup.training.optimStep({ learningRate: 0 });
  expect(pass.logprobs.map((each) => Math.round(each[0]! * -10))).toEqual([12, 13, 14]);
  expect(setup.fake.model.nextSeqId).toBe(5);
});

test('a refused call uses up no number', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  fake.fault = ({ path, count }) =>
    path === 'optim_step' && count === 0 ? { kind: 'status', status: 422 } : undefined;
  await expect(training.optimStep({ learningRate: 0.1 })).rejects.toSatisfy(TinkerValidationError.isInstance);
  await training.optimStep({ learningRate: 0.1 });
  await training.saveState('a');
  expect(fake.model.applied).toEqual(['optim_step', 'save_weights']);
});

test.each(['managed', 'skyrl', 'tuft'] as const)(
  'a lost reply is found again and nothing is done twice on %s',
  async (kind) => {
    await using setup = await open({ kind });
    const { training, fake } = setup;
    fake.fault = ({ path, count }) =>
      ['optim_step', 'save_weights'].includes(path) && count === 0 ? { kind: 'drop-reply' } : undefined;
    const datum = supervised([1, 2, 3]);
    await training.forwardBackward([datum], { loss: 'cross_entropy' });
    await training.optimStep({ learningRate: 0.5 });
    expect(await training.saveState('kept')).toEqual({ path: expect.stringMatching(/^tinker:.*kept$/) });
    await training.forwardBackward([datum], { loss: 'cross_entropy' });
    expect(fake.model.applied).toEqual(['forward_backward', 'optim_step', 'save_weights', 'forward_backward']);
  },
);

test('a lost reply to a pass on a strict server is an error that says it took effect', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  fake.fault = ({ path, count }) => (path === 'forward_backward' && count === 0 ? { kind: 'drop-reply' } : undefined);
  const error: unknown = await training
    .forwardBackward([supervised([1, 2])], { loss: 'cross_entropy' })
    .catch((e: unknown) => e);
  expect(TinkerConflictError.isInstance(error) && error.tookEffect).toBe(true);
  await training.optimStep({ learningRate: 0.1 });
  expect(fake.model.applied).toEqual(['forward_backward', 'optim_step']);
});

test('after a wrong number the client takes the one the server wants', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake, eventsOf } = setup;
  fake.fault = ({ path }) => (path === 'optim_step' ? { kind: 'drop-reply' } : undefined);
  await expect(training.optimStep({ learningRate: 0.1 }, { timeoutMs: 300 })).rejects.toMatchObject({
    kind: 'timeout',
    outcomeUnknown: true,
  });
  fake.fault = undefined;
  await training.saveState('after');
  await training.optimStep({ learningRate: 0.1 });
  expect(fake.model.applied).toEqual(['optim_step', 'save_weights', 'optim_step']);
  expect(eventsOf('sequence-resynchronised')).toMatchObject([{ from: 1, to: 2 }]);
});

test('a failed job is an error with its category and the next call goes on', async () => {
  for (const kind of ['managed', 'skyrl', 'tuft'] as const) {
    await using setup = await open({ kind }, { profile: { losses: undefined } });
    const error: unknown = await setup.training
      .forwardBackward([supervised([1, 2])], { loss: 'nonsense' })
      .catch((e: unknown) => e);
    expect(TinkerJobFailedError.isInstance(error) && error.category).toBe('user');
    await setup.training.optimStep({ learningRate: 0.1 });
    expect(setup.fake.model.applied).toEqual(['optim_step']);
  }
});

test('an optimiser step is held back when the pass before it was refused', async () => {
  await using setup = await open();
  const { training, fake } = setup;
  const pass = training.forwardBackward([supervised([1, 2000])], { loss: 'cross_entropy' });
  const step = training.optimStep({ learningRate: 0.1 });
  await expect(pass).rejects.toThrow(/outside the vocabulary of 1000/);
  await expect(step).rejects.toSatisfy(TinkerStoppedError.isInstance);
  await training.optimStep({ learningRate: 0.1 });
  expect(fake.model.applied).toEqual(['optim_step']);
});

test.each([
  [
    'an id outside the vocabulary',
    { tokens: Int32Array.of(1000), inputs: { target_tokens: Int32Array.of(1), weights: Float32Array.of(1) } },
    /tokens\[0\] is 1000/,
  ],
  [
    'a negative target',
    { tokens: Int32Array.of(1), inputs: { target_tokens: BigInt64Array.of(-1n), weights: Float32Array.of(1) } },
    /target_tokens\[0\] is -1/,
  ],
  [
    'a wrong length',
    { tokens: Int32Array.of(1, 2), inputs: { target_tokens: Int32Array.of(1), weights: Float32Array.of(1, 1) } },
    /1 rows for 2 tokens/,
  ],
  ['a missing input', { tokens: Int32Array.of(1), inputs: { target_tokens: Int32Array.of(1) } }, /weights is missing/],
  [
    'NaN',
    { tokens: Int32Array.of(1), inputs: { target_tokens: Int32Array.of(1), weights: Float32Array.of(Number.NaN) } },
    /weights\[0\] is NaN/,
  ],
])('%s is refused before anything is sent', async (_what, datum, message) => {
  await using setup = await open();
  await expect(setup.training.forwardBackward([datum], { loss: 'cross_entropy' })).rejects.toThrow(message);
  expect(setup.fake.count('forward_backward')).toBe(0);
});

test('NaN from the server stops the client with the reason', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, fake, eventsOf } = setup;
  fake.model.weight = Number.NaN;
  await expect(training.forward([supervised([1, 2])])).rejects.toThrow(/token 0 of datum 0 is NaN/);
  await expect(training.optimStep({ learningRate: 0.1 })).rejects.toThrow(/is NaN after forward/);
  await training.close();
  expect(eventsOf('clear-failed')).toHaveLength(1);
});

test('gradients that were not applied are cleared before the model is released', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, fake, service } = setup;
  await training.forwardBackward([supervised([1, 2])], { loss: 'cross_entropy' });
  await training.close();
  expect(fake.model.applied).toEqual(['forward_backward', 'optim_step', 'unload_model']);
  expect([fake.model.weight, fake.model.gradient]).toEqual([0, 0]);
  const next = await service.createTraining({ baseModel: 'fake/model' });
  expect(fake.models.get(next.model.modelId)!.gradient).toBe(0);
});

test.each([
  { kind: 'skyrl', order: ['pass', 'pass is answered', 'step', 'step is answered', 'pass', 'pass is answered'] },
  { kind: 'tuft', order: ['pass', 'step', 'pass'] },
] as const)('a step called right behind its pass: $kind', async ({ kind, order }) => {
  await using setup = await open({ kind });
  const { training, fake } = setup;
  const seen: string[] = [];
  fake.fault = ({ path }) => {
    if (path === 'forward_backward') seen.push('pass');
    if (path === 'optim_step') seen.push('step');
    // Answers come so late that whatever does not wait for them is sent before.
    return path === 'retrieve_future' ? { kind: 'delay', ms: 100 } : undefined;
  };
  const pass = () => training.forwardBackward([supervised([1, 2])], { loss: 'cross_entropy' });
  const tell = (what: string) => () => void (kind === 'skyrl' && seen.push(`${what} is answered`));
  await Promise.all([
    pass().then(tell('pass')),
    training.optimStep({ learningRate: 0.1 }).then(tell('step')),
    pass().then(tell('pass')),
  ]);
  expect(seen).toEqual(order);
});

test('a closed client refuses further work and closing twice is closing once', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  await Promise.all([training.close(), training.close()]);
  await expect(training.optimStep({ learningRate: 1 })).rejects.toThrow(/closed/);
  expect(fake.count('unload_model')).toBe(1);
});

test('settings the server ignores are reported once', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, eventsOf } = setup;
  await training.optimStep({ learningRate: 0, gradClipNorm: 1 });
  await training.optimStep({ learningRate: 0, gradClipNorm: 1 });
  await training.saveState('a', { ttlSeconds: 3600 });
  expect(eventsOf('knob-dropped').map(({ knob }) => knob)).toEqual(['grad_clip_norm', 'ttl_seconds']);
});

test('a field the server does not know is left out once it has said so', async () => {
  await using setup = await open({ kind: 'tuft' }, { profile: { refusedFields: {} } });
  const { training, fake, eventsOf } = setup;
  await training.saveState('a', { userMetadata: { a: 'b' } });
  await training.saveState('b', { userMetadata: { a: 'b' } });
  expect(fake.bodies('save_weights').map((body) => 'user_metadata' in body)).toEqual([true, false, false]);
  expect(eventsOf('field-stripped')).toMatchObject([{ operation: 'save_weights', field: 'user_metadata' }]);
  expect(fake.model.applied).toEqual(['save_weights', 'save_weights']);
});

test('a server that reads JSON alone is trained in JSON, with its results in JSON', async () => {
  await using setup = await open({ jsonRequests: true, jsonResults: true });
  const { training, fake } = setup;
  const pass = await training.forwardBackward([supervised([1, 2, 3])], { loss: 'cross_entropy' });
  expect(pass.logprobs[0]).toEqual(Float32Array.of(tokenLogprob(2, 0), tokenLogprob(3, 0)));
  await training.forward([supervised([1, 2, 3])]);
  expect([fake.count('forward_backward'), fake.count('forward')]).toEqual([2, 1]);
});

test('a body is compressed when the server asks for it', async () => {
  await using setup = await open({ config: { proto_compress_fwdbwd: true } });
  await setup.training.forwardBackward([supervised([1, 2, 3])], { loss: 'cross_entropy' });
  expect(setup.fake.requests.find(({ path }) => path === 'forward_backward')?.headers['content-encoding']).toBe('zstd');
});

test('a state is loaded into a model of its own', async () => {
  for (const kind of ['managed', 'skyrl', 'tuft'] as const) {
    await using setup = await open({ kind });
    const { training, service, fake } = setup;
    fake.model.weight = 0.5;
    const { path } = await training.saveState('half');
    const resumed = await service.createTrainingFromState(path);
    expect(fake.models.get(resumed.model.modelId)!.weight).toBe(0.5);
    expect(resumed.model.rank).toBe(8);
  }
});

test('a name that exists is a conflict and the numbers go on', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training } = setup;
  await training.saveState('same');
  await expect(training.saveState('same')).rejects.toMatchObject({ kind: 'conflict', conflict: 'exists' });
  await expect(training.saveState('no/slash')).rejects.toThrow(/letters, digits/);
  await training.saveState('other');
});

test('a wrong base model is refused where the server would train another', async () => {
  await using setup = await open({ kind: 'skyrl' });
  await expect(setup.service.createTraining({ baseModel: 'other/model' })).rejects.toThrow(/fake\/model/);
});

test('a handle tells its request, and an abandoned call keeps its place', async () => {
  await using setup = await open({ kind: 'tuft', jobMs: 50 });
  const { training, fake } = setup;
  const controller = new AbortController();
  const first = training.optimStep({ learningRate: 0.1 }, { signal: controller.signal });
  const second = training.optimStep({ learningRate: 0.1 });
  await first.submitted;
  expect(first.requestId).toMatch(/^request-/);
  controller.abort();
  await expect(first).rejects.toMatchObject({ kind: 'abandoned' });
  await second;
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step']);
});

test('a custom loss moves the weight by its own gradient on every server', async () => {
  for (const kind of ['managed', 'skyrl', 'tuft'] as const) {
    await using setup = await open({ kind });
    const { training, fake } = setup;
    const datums = [supervised([1, 2, 3]), supervised([4, 5])];
    const outcome = training.customLoss(datums, ({ logprobs }) => ({
      loss: 1,
      gradients: logprobs.map((each, index) => new Float64Array(each.length).fill(index === 0 ? 0.25 : -1)),
      metrics: { custom: 2 },
    }));
    const step = training.optimStep({ learningRate: 1 });
    expect((await outcome).metrics).toMatchObject({ custom: 2, 'loss:sum': 1 });
    await step;
    expect(fake.model.weight, kind).toBeCloseTo(0.5, 6);
    expect(fake.model.applied).toEqual(['forward', 'forward_backward', 'optim_step']);
  }
});

test('no error tells the credential', async () => {
  await using setup = await open({ kind: 'tuft' });
  setup.fake.fault = ({ headers }) => ({
    kind: 'status',
    status: 400,
    body: { detail: `bad key ${String(headers['x-api-key'])}` },
  });
  const error: unknown = await setup.training.optimStep({ learningRate: 1 }).catch((e: unknown) => e);
  setup.fake.fault = undefined;
  expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('tml-secret-key');
  expect(String(error)).toContain('[credential]');
});
