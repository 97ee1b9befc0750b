import { expect, test } from 'vitest';
import { manualClock, scriptedFetch, testTransport } from '../testing/transport-kit.fixture.ts';
import type { ScriptedAnswer } from '../testing/transport-kit.fixture.ts';
import { startDeadline } from './deadline.ts';
import { backoffMs, readRetryAfterMs } from './backoff.ts';
import { cleanText } from './error-reply.ts';
import type { RequestOptions } from './transport.ts';

async function request(
  answers: readonly ScriptedAnswer[],
  options: Partial<RequestOptions> & { timeoutMs?: number } = {},
) {
  const clock = manualClock();
  const { fetch, calls } = scriptedFetch(answers, clock);
  const transport = testTransport({ fetch, clock });
  let ambiguous = 0;
  const { timeoutMs = 600_000, ...rest } = options;
  const outcome: { status?: number; error?: Record<string, unknown> } = await transport
    .request(
      { path: 'optim_step', json: { a: 1 } },
      { deadline: startDeadline({ timeoutMs, clock }), onAmbiguous: () => (ambiguous += 1), ...rest },
    )
    .then(
      (reply) => ({ status: reply.status }),
      (error: unknown) => ({ error: error as Record<string, unknown> }),
    );
  return { outcome, calls, ambiguous, elapsedMs: clock.now() };
}

test('a call has the credential, its content type and one idempotency key over all attempts', async () => {
  const { calls } = await request([{ status: 503 }, { failure: 'ECONNRESET' }, { status: 200, json: {} }]);
  expect(calls[0]).toMatchObject({
    url: 'http://test.invalid/api/v1/optim_step',
    method: 'POST',
    headers: { 'x-api-key': 'tml-secret-key', 'content-type': 'application/json' },
    body: { a: 1 },
  });
  expect(new Set(calls.map(({ headers }) => headers['x-idempotency-key']))).toEqual(new Set(['id-1']));
});

test('attempts that may have arrived are told apart from those that did not', async () => {
  expect((await request([{ failure: 'ECONNREFUSED' }, { status: 429 }, { status: 200, json: {} }])).ambiguous).toBe(0);
  expect((await request([{ failure: 'ECONNRESET' }, { status: 502 }, { status: 200, json: {} }])).ambiguous).toBe(2);
});

test('that an attempt may have arrived is told by whatever error comes last', async () => {
  for (const last of [422, 410, 401]) {
    const { outcome } = await request([{ failure: 'ECONNRESET' }, { status: last }]);
    expect(outcome.error).toMatchObject({ status: last, outcomeUnknown: true });
  }
  expect((await request([{ failure: 'ECONNREFUSED' }, { status: 422 }])).outcome.error).toMatchObject({
    outcomeUnknown: false,
  });
});

test('a call that is abandoned on its way may have arrived', async () => {
  const signal = AbortSignal.timeout(20);
  const silent: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  let ambiguous = 0;
  const deadline = startDeadline({ timeoutMs: 1_000, signal, clock: manualClock() });
  const onAmbiguous = (): void => void (ambiguous += 1);
  const call = testTransport({ fetch: silent }).request({ path: 'optim_step', json: {} }, { deadline, onAmbiguous });
  await expect(call).rejects.toMatchObject({ kind: 'abandoned', outcomeUnknown: true });
  expect(ambiguous).toBe(1);
});

test('a server that is not there is named, with what to do', async () => {
  const refused = Array.from({ length: 50 }, (): ScriptedAnswer => ({ failure: 'ECONNREFUSED' }));
  for (const timeoutMs of [3_000, 600_000]) {
    const { outcome } = await request(refused, { timeoutMs });
    expect(outcome.error?.['message']).toMatch(/nothing listens.*start it again.*createTrainingFromState/);
  }
});

test('what would happen twice is not repeated after an attempt that may have arrived', async () => {
  const { outcome, calls } = await request([{ failure: 'ECONNRESET' }], { repeatsSafely: false });
  expect(outcome.error).toMatchObject({ kind: 'transport', outcomeUnknown: true });
  expect(calls).toHaveLength(1);
  expect(
    (await request([{ failure: 'ECONNREFUSED' }, { status: 200, json: {} }], { repeatsSafely: false })).outcome,
  ).toEqual({ status: 200 });
});

test('attempts and time are bounded', async () => {
  const failing = Array.from({ length: 50 }, (): ScriptedAnswer => ({ status: 500 }));
  const tries = await request(failing);
  expect([tries.calls.length, tries.outcome.error?.['kind']]).toEqual([10, 'transport']);
  const late = await request(failing, { timeoutMs: 3_000 });
  expect(late.outcome.error).toMatchObject({ kind: 'timeout', outcomeUnknown: true });
  expect(late.elapsedMs).toBeLessThan(3_100);
});

test.each([
  [400, { detail: 'no' }, { kind: 'validation' }],
  [401, {}, { kind: 'auth' }],
  [403, {}, { kind: 'auth' }],
  [404, {}, { kind: 'not-found' }],
  [405, {}, { kind: 'not-found' }],
  [409, { detail: "Checkpoint 'a' already exists for model 'm'" }, { kind: 'conflict', conflict: 'exists' }],
  [409, { detail: 'Training request sequence number was reused' }, { kind: 'conflict', conflict: 'sequence' }],
  [
    409,
    { detail: 'Sequence conflict: expected 2, got 7.' },
    { kind: 'conflict', conflict: 'sequence', expected: 2, got: 7 },
  ],
  [409, { detail: 'model is not loaded' }, { kind: 'conflict', conflict: 'state', retryable: false }],
  [410, {}, { kind: 'promise-expired' }],
  [415, { detail: 'requires protobuf' }, { kind: 'validation', status: 415 }],
  [
    422,
    {
      detail: [
        { type: 'extra_forbidden', loc: ['body', 'lora_config', 'alpha'], msg: 'Extra inputs', input: 'secret' },
      ],
    },
    { kind: 'validation', fields: [{ field: 'lora_config.alpha', reason: 'Extra inputs', isUnknown: true }] },
  ],
  [418, 'a proxy page', { kind: 'validation' }],
])('status %i is an error with a name: %j', async (status, json, error) => {
  const { outcome, calls } = await request([{ status, json }]);
  expect(outcome.error).toMatchObject({ ...error, status, operation: 'optim_step' });
  expect(calls).toHaveLength(1);
});

test('the server’s own word on retrying is kept', async () => {
  expect((await request([{ status: 500, headers: { 'x-should-retry': 'false' } }])).calls).toHaveLength(1);
  const { elapsedMs } = await request([
    { status: 429, headers: { 'retry-after-ms': '1234' } },
    { status: 200, json: {} },
  ]);
  expect(elapsedMs).toBe(1236);
});

test('402 is sat out, and not for ever', async () => {
  expect((await request([{ status: 402 }, { status: 402 }, { status: 200, json: {} }])).outcome).toEqual({
    status: 200,
  });
  expect((await request(Array.from({ length: 30 }, () => ({ status: 402 })))).outcome.error).toMatchObject({
    kind: 'billing',
  });
});

test('waits double, are jittered and stay below their limit', () => {
  const backoff = { firstMs: 500, maxMs: 10_000 };
  expect([0, 1, 2, 9, 5000].map((attempt) => backoffMs(backoff, attempt, () => 0))).toEqual([
    500, 1000, 2000, 10_000, 10_000,
  ]);
  expect(backoffMs(backoff, 0, () => 1)).toBe(250);
});

test('Retry-After is read as seconds, milliseconds or a date, within a minute', () => {
  const read = (headers: Record<string, string>) => readRetryAfterMs(new Headers(headers), () => Date.UTC(2030, 0, 1));
  expect(read({ 'retry-after': '2' })).toBe(2000);
  expect(read({ 'retry-after-ms': '30' })).toBe(30);
  expect(read({ 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' })).toBe(9000);
  expect([read({ 'retry-after': '3600' }), read({ 'retry-after': 'soon' }), read({})]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('text of a server is cut and cleaned of what looks like a credential', () => {
  expect(cleanText('key abc and tml-other123 and eyJhbGciOiJub25l.eyJzdWIi.sig!', ['abc'])).toBe(
    'key [credential] and [credential] and [credential]!',
  );
  expect(cleanText('x'.repeat(5000), []).length).toBeLessThan(500);
});
