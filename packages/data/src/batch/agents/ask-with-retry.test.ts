import { ClientError } from '@lachesis/sdk';
import type { AgentModel, ModelReply } from '@lachesis/sdk/agent';
import { expect, it } from 'vitest';
import { BatchError } from '../batch-error.ts';
import { createCostMeter } from '../cost-meter.ts';
import { createRequestGate } from '../request-gate.ts';
import { askWithRetry } from './ask-with-retry.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;
const question = { messages: [], tools: [], signal: never };
const done: ModelReply = { message: { role: 'assistant', content: 'done' }, finishReason: 'stop', usage: undefined };

const refuse = (status: number, retryAfterMs?: number): ClientError =>
  new ClientError({
    ...{ code: 'http', call: 'POST x', reason: 'no', status, retryAfterMs },
    retryable: status === 429 || status >= 500,
  });
const broken = (): ClientError =>
  new ClientError({ code: 'connection', call: 'POST x', reason: 'ECONNREFUSED', retryable: true });

/** A model that answers what `reply` gives at the time, with time that passes when somebody sleeps. */
function open(
  reply: (now: number, asked: Parameters<AgentModel>[0]) => ModelReply | Error | Promise<ModelReply | Error>,
  { maxCost, stopping = never }: { maxCost?: number; stopping?: AbortSignal } = {},
) {
  let now = 0;
  const clock = { now: () => now, sleep: async (ms: number) => void (now += ms) };
  const [pauses, outages]: [number[], string[]] = [[], []];
  const shared = {
    reserve: async () => 0,
    pause: async (ms: number) => void pauses.push(ms),
    readPause: async () => 0,
  };
  const meter = createCostMeter({ maxCost });
  const ask: AgentModel = async (asked) => {
    const given = await reply(now, asked);
    if (given instanceof Error) throw given;
    return given;
  };
  const model = askWithRetry({
    ...{ ask, meter, clock, stopping, gate: createRequestGate({ shared, clock }) },
    onOutage: (reason) => outages.push(reason),
  });
  return { model, meter, pauses, outages, now: () => now, skip: (ms: number) => void (now += ms) };
}

it('waits out a limit for everybody, and stops for all at a key that is refused or when the money is spent', async () => {
  const replies = [refuse(429, 3_000), done, refuse(401)];
  const { model, meter, now, pauses } = open(() => replies.shift() ?? done, { maxCost: 1 });
  expect(await model(question)).toBe(done);
  expect([now(), pauses]).toEqual([3_000, [3_000]]);
  await expect(model(question)).rejects.toMatchObject({ kind: 'stop', hint: expect.stringContaining('--api_key') });
  meter.add(1);
  await expect(model(question)).rejects.toSatisfy((error) => BatchError.isInstance(error) && error.kind === 'stop');
});

it('stops soon when the server never answered: its name is wrong, and no prompt should pay for that', async () => {
  const { model, now } = open(broken);
  await expect(model(question)).rejects.toMatchObject({
    kind: 'stop',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(now()).toBeLessThan(MINUTE);
});

it('holds everybody while a server is away that has answered before, and says so once', async () => {
  const { model, pauses, outages, now, skip } = open((at) => (at === 0 || at > 10 * MINUTE ? done : broken()));
  await model(question);
  skip(1);
  expect(await model(question)).toBe(done);
  expect(now()).toBeGreaterThan(10 * MINUTE);
  expect(outages).toEqual([expect.stringContaining('ECONNREFUSED')]);
  expect(Math.max(...pauses)).toBe(30_000);
});

it('gives a server up that stays away for half an hour', async () => {
  const { model, skip, now } = open((at) => (at === 0 ? done : refuse(503)));
  await model(question);
  skip(1);
  await expect(model(question)).rejects.toMatchObject({ kind: 'stop', hint: expect.stringContaining('--resume') });
  expect(now()).toBeGreaterThan(30 * MINUTE);
});

it('gives a prompt up that breaks the connection while others are answered, or that the server fails at', async () => {
  const bad = { ...question, messages: [{ role: 'user', content: 'bad' }] };
  const { model } = open(async (_, { messages }) => {
    if (messages.length === 0) return done;
    // Somebody else is answered meanwhile.
    await model(question);
    return broken();
  });
  await expect(model(bad)).rejects.toSatisfy((error) => ClientError.isInstance(error) && error.code === 'connection');

  const { model: failing, now } = open(() => refuse(500));
  await expect(failing(question)).rejects.toSatisfy(ClientError.isInstance);
  expect(now()).toBeLessThanOrEqual(MINUTE);
});

it('asks nothing more when the work is to end, also while everybody waits', async () => {
  const ending = new AbortController();
  const { model } = open(() => (ending.abort(), refuse(429, 5_000)), { stopping: ending.signal });
  await expect(model(question)).rejects.toMatchObject({ kind: 'released' });
});
