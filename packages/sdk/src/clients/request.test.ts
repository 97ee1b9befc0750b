import { expect, test } from 'vitest';

import { readAddresses } from './addresses.ts';
import { ClientError } from './client-error.ts';
import type { Clock } from '@lachesis/protocol';
import { request, requestBytes, type SendOptions } from './request.ts';

type Answer = Response | Error | ((init: RequestInit) => Promise<Response>);

/** A server of prepared answers, and a clock that only moves when somebody sleeps. */
function kit(answers: Answer[]) {
  const calls: { url: string; init: RequestInit }[] = [];
  const sleeps: number[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
  };
  const send = (async (url: string, init: RequestInit) => {
    calls.push({ url, init });
    const answer = answers.shift() ?? new Error('no answer was prepared');
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(init) : answer;
  }) as typeof fetch;
  const base: SendOptions = {
    url: 'http://u:p@host:1/run/a/',
    fetch: send,
    clock,
    random: () => 0,
    method: 'GET',
    path: '/x',
  };
  return { calls, sleeps, base };
}

const failure = (): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { code, message: 'because', hint: 'Do that.' } }, { status, headers });

async function caught(work: Promise<unknown>): Promise<ClientError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!ClientError.isInstance(error)) throw new Error('no ClientError was thrown', { cause: error });
  return error;
}

test('sends JSON with its token to the run of the address', async () => {
  const { base, calls } = kit([Response.json({ a: 1 })]);
  const parse = (reply: unknown) => (reply as { a: number }).a;
  expect(await request({ ...base, method: 'POST', body: { b: 0 }, token: 't', parse })).toBe(1);
  expect(calls[0]!.url).toBe('http://u:p@host:1/run/a/x');
  expect(calls[0]!.init).toMatchObject({
    body: '{"b":0}',
    headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
  });
});

test('tries again after a broken connection and a 5xx, with growing pauses', async () => {
  const { base, sleeps } = kit([failure(), new Response('', { status: 503 }), failure(), Response.json(7)]);
  expect(await request({ ...base, retryForMs: 10_000, parse: Number })).toBe(7);
  expect(sleeps).toEqual([100, 200, 400]);
});

test('waits as long as the server asks, and no longer than the caller allows', async () => {
  const busy = () => refusal(429, 'back-pressure', { 'retry-after': '2' });
  const patient = kit([busy(), Response.json(1)]);
  expect(await request({ ...patient.base, retryForMs: 3000, parse: Number })).toBe(1);
  expect(patient.sleeps).toEqual([2000]);

  const hurried = kit([busy(), busy(), busy()]);
  const error = await caught(request({ ...hurried.base, retryForMs: 3000, parse: Number }));
  expect(error).toMatchObject({ status: 429, code: 'back-pressure', retryable: true, attempts: 2, retryAfterMs: 2000 });
});

test('tries once unless told otherwise', async () => {
  const { base, calls } = kit([failure(), Response.json(1)]);
  const error = await caught(request({ ...base, parse: Number }));
  expect(error).toMatchObject({ code: 'connection', retryable: true, status: undefined });
  expect(error.message).toContain('nothing listens there (ECONNREFUSED)');
  expect(calls).toHaveLength(1);
});

test('of several servers the next is asked: at once where nothing listens, after a pause where one broke off', async () => {
  const several = { url: 'http://a/run/x, http://b/run/x,http://c/run/x' };
  const { base, calls, sleeps } = kit([failure(), Response.json(1)]);
  expect(await request({ ...base, ...several, parse: Number })).toBe(1);
  expect([calls.map(({ url }) => url), sleeps]).toEqual([['http://a/run/x/x', 'http://b/run/x/x'], []]);

  const broken = kit([new Response('', { status: 503 }), failure(), failure(), failure(), Response.json(2)]);
  const addresses = readAddresses(several.url);
  const patient = { ...broken.base, ...several, addresses, retryForMs: 10_000, parse: Number };
  expect(await request(patient)).toBe(2);
  expect(broken.calls.map(({ url }) => url[7])).toEqual(['a', 'b', 'c', 'a', 'b']);
  expect(broken.sleeps).toEqual([100, 800]);
  expect(addresses.current()).toBe('http://b/run/x');

  const away = kit([failure(), failure(), failure(), Response.json(3)]);
  const error = await caught(request({ ...away.base, ...several, parse: Number }));
  expect(error).toMatchObject({ code: 'connection', attempts: 3 });
  const busy = kit([refusal(429, 'back-pressure', { 'retry-after': '1' }), Response.json(4)]);
  expect(await request({ ...busy.base, ...several, retryForMs: 10_000, parse: Number })).toBe(4);
  expect(busy.calls.map(({ url }) => url[7])).toEqual(['a', 'a']);
});

test('says at once that a port is one which the real fetch never asks', async () => {
  const { base, sleeps } = kit([]);
  const error = await caught(
    request({ ...base, url: 'http://127.0.0.1:9', fetch: globalThis.fetch, retryForMs: 60_000, parse: Number }),
  );
  expect(error).toMatchObject({ code: 'connection', retryable: false });
  expect(error.message).toContain('no client may ask a server on this port');
  expect(sleeps).toEqual([]);
});

test('does not repeat a refusal that will not change, and tells reason, hint and issues', async () => {
  const issues = [{ sequence: 2, field: 'tokens', message: 'is empty' }];
  const body = { error: { code: 'invalid', message: 'the group breaks a rule', issues } };
  const { base, calls } = kit([Response.json(body, { status: 422 })]);
  const error = await caught(request({ ...base, retryForMs: 10_000, parse: Number }));
  expect(error).toMatchObject({ status: 422, code: 'invalid', retryable: false, issues });
  expect(error.message).toBe(
    'GET http://host:1/run/a/x was answered with 422: the group breaks a rule (tokens of sequence 2 is empty)',
  );
  expect(calls).toHaveLength(1);
});

test.each([
  [{ error: { message: 'model not found', type: 'x' } }, 404, 'model not found', false],
  [{ detail: 'Not Found' }, 404, 'Not Found', false],
  [{ error: 'overloaded' }, 529, 'overloaded', true],
])('reads the reason of other servers: %j', async (body, status, reason, retryable) => {
  const { base } = kit([Response.json(body, { status })]);
  expect(await caught(request({ ...base, parse: Number }))).toMatchObject({ code: 'http', reason, retryable, status });
});

test('ends a try at its time limit', async () => {
  const hang = (init: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init.signal!.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const { base } = kit([hang]);
  expect(await caught(request({ ...base, timeoutMs: 5, parse: Number }))).toMatchObject({
    code: 'timeout',
    retryable: true,
  });
});

test('ends at the signal of the caller with its reason, between tries too', async () => {
  const stop = new AbortController();
  const { base } = kit([failure(), failure()]);
  const reason = new Error('enough');
  const clock: Clock = { now: () => 0, sleep: async () => stop.abort(reason) };
  await expect(request({ ...base, clock, signal: stop.signal, retryForMs: 1000, parse: Number })).rejects.toBe(reason);
});

test('says so when the reply is not what was expected', async () => {
  const { base } = kit([new Response('<html>')]);
  const error = await caught(request({ ...base, parse: Number, retryForMs: 1000 }));
  expect(error).toMatchObject({ code: 'unreadable-reply', retryable: false });
});

test('hands over bytes', async () => {
  const { base } = kit([new Response(Uint8Array.of(1, 2))]);
  expect(await requestBytes(base)).toEqual(Uint8Array.of(1, 2));
});

test('never tells a credential', async () => {
  const { base } = kit([failure()]);
  const error = await caught(request({ ...base, token: 'secret-token', parse: Number }));
  expect(JSON.stringify(error) + error.message).not.toMatch(/secret-token|u:p@/);
});
