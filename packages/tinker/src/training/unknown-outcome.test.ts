import { expect, test } from 'vitest';
import { createTinkerClient } from '../create-tinker-client.ts';
import { FakeServer } from '../testing/fake-server.fixture.ts';
import type { Fault, FakeServerOptions } from '../testing/fake-server.fixture.ts';

async function open(options: FakeServerOptions) {
  const fake = await FakeServer.start(options);
  const client = createTinkerClient({
    baseUrl: fake.url,
    env: {},
    timeoutMs: 10_000,
    heartbeatMs: false,
    random: () => 1,
  });
  const service = await client.connect();
  const training = await service.createTraining({ baseModel: 'fake/model', vocabularySize: 1000 });
  return {
    fake,
    service,
    training,
    async [Symbol.asyncDispose]() {
      fake.fault = undefined;
      await service.close({ timeoutMs: 2_000 });
      await fake.close();
    },
  };
}

const datum = {
  tokens: Int32Array.of(1, 2),
  inputs: { target_tokens: Int32Array.of(2, 3), weights: Float32Array.of(1, 1) },
};
const rate = { learningRate: 0.1 };
/** Refused, and nothing tells whose the number was. */
const UNTOLD = { kind: 'conflict', outcomeUnknown: true, tookEffect: false };
/** Long enough for one attempt on a busy machine. */
const brief = { timeoutMs: 400 };

/** Loses every reply to a step until it is told to lose one more. */
function loseSteps(fake: FakeServer, also: (path: string) => Fault | undefined = () => undefined) {
  let left = Number.POSITIVE_INFINITY;
  fake.fault = ({ path }) => {
    if (path !== 'optim_step') return also(path);
    left -= 1;
    return left >= 0 ? { kind: 'drop-reply' } : undefined;
  };
  return { oneMore: () => void (left = 1) };
}

test('an operation after one of unknown outcome is not taken for it when its reply is lost too', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  const replies = loseSteps(fake);
  await expect(training.optimStep(rate, brief)).rejects.toMatchObject({ outcomeUnknown: true });
  replies.oneMore();
  await training.optimStep(rate);
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step']);
});

test('what the server does not tell is reported as unknown', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  const replies = loseSteps(fake, (path) =>
    path === 'forward_backward' ? { kind: 'status', status: 410 } : undefined,
  );
  await expect(training.optimStep(rate, brief)).rejects.toMatchObject({ kind: 'timeout' });
  replies.oneMore();
  await expect(training.optimStep(rate)).rejects.toMatchObject(UNTOLD);
  expect(fake.model.applied).toEqual(['optim_step']);
  await training.optimStep(rate);
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step']);
});

test('a request that was given up and arrives late is not taken for the one after it', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  let arrives = Number.POSITIVE_INFINITY;
  fake.fault = ({ path, count }) => {
    if (path !== 'optim_step') return undefined;
    if (count === 0) arrives = performance.now() + 1_200;
    if (count === 0) return { kind: 'delay', ms: 1_200 };
    return performance.now() < arrives + 200 ? { kind: 'drop-request' } : undefined;
  };
  await expect(training.optimStep(rate, brief)).rejects.toMatchObject({ kind: 'timeout', outcomeUnknown: true });
  await expect(training.optimStep(rate)).rejects.toMatchObject(UNTOLD);
  expect(fake.model.applied).toEqual(['optim_step']);
  await training.optimStep(rate);
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step']);
});

test('a call that is abandoned while it is being sent leaves the order of those after it', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  fake.fault = ({ path, count }) => (path === 'optim_step' && count === 0 ? { kind: 'hang', isDone: true } : undefined);
  const controller = new AbortController();
  const abandoned = training.optimStep(rate, { signal: controller.signal });
  abandoned.catch(() => undefined);
  await expect.poll(() => fake.model.applied.length).toBe(1);
  controller.abort();
  await expect(abandoned).rejects.toMatchObject({ kind: 'abandoned', outcomeUnknown: true });
  const pass = training.forwardBackward([datum], { loss: 'cross_entropy' });
  const step = training.optimStep(rate);
  await Promise.all([pass, step]);
  expect(fake.model.applied).toEqual(['optim_step', 'forward_backward', 'optim_step']);
});

test('an acknowledgement that cannot be read is one', async () => {
  await using setup = await open({ kind: 'tuft' });
  const { training, fake } = setup;
  let isCut = true;
  fake.fault = ({ path }) => {
    if (path !== 'optim_step' || !isCut) return undefined;
    isCut = false;
    return { kind: 'status', status: 200, body: {} };
  };
  await expect(training.optimStep(rate)).rejects.toMatchObject({ kind: 'protocol', outcomeUnknown: true });
  await training.optimStep(rate);
  expect(fake.model.applied).toEqual(['optim_step']);
});

test('a job whose result is gone may have been carried out', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, fake } = setup;
  fake.fault = ({ path }) => (path === 'retrieve_future' ? { kind: 'status', status: 410 } : undefined);
  await expect(training.optimStep(rate)).rejects.toMatchObject({ kind: 'promise-expired', outcomeUnknown: true });
  expect(fake.model.applied).toEqual(['optim_step']);
});

test('on a server that runs by number, a request it refuses does not stand in the way of those after it', async () => {
  await using setup = await open({ kind: 'managed' });
  const { training, fake } = setup;
  fake.fault = ({ path, count }) => {
    if (path !== 'save_weights') return undefined;
    return count === 0 ? { kind: 'drop-request' } : { kind: 'status', status: 422 };
  };
  await expect(training.saveState('a', { timeoutMs: 200 })).rejects.toMatchObject({ outcomeUnknown: true });
  await training.optimStep(rate);
  await training.optimStep(rate);
  expect(fake.model.applied).toEqual(['optim_step', 'optim_step']);
});

test('a load that was sent twice because its reply was lost is not reported as a mistake of the caller', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, service, fake } = setup;
  const { path } = await training.saveState('kept');
  fake.fault = ({ path: address, count }) =>
    address === 'load_weights' && count === 0 ? { kind: 'drop-reply' } : undefined;
  await expect(service.createTrainingFromState(path)).rejects.toMatchObject({
    kind: 'transport',
    outcomeUnknown: true,
  });
  // Its place on the engine is given back.
  await expect.poll(() => fake.count('unload_model')).toBe(1);
  await service.createTrainingFromState(path);
});

test('a model that went with a restart of its server is named as such', async () => {
  await using setup = await open({ kind: 'skyrl' });
  const { training, fake } = setup;
  fake.fault = ({ path }) =>
    path === 'retrieve_future'
      ? { kind: 'status', status: 400, body: { detail: 'Model model_1 not loaded' } }
      : undefined;
  const error: unknown = await training.optimStep(rate).catch((e: unknown) => e);
  expect(error).toMatchObject({ kind: 'not-found', outcomeUnknown: false });
  expect(String(error)).toMatch(/createTrainingFromState/);
});
