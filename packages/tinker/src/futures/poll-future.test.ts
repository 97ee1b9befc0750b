import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.ts';
import { pollFuture } from './poll-future.ts';
import type { TinkerEvent } from '../events.ts';
import { manualClock, scriptedFetch, testTransport } from '../testing/transport-kit.fixture.ts';
import type { ScriptedAnswer } from '../testing/transport-kit.fixture.ts';
import { startDeadline } from '../transport/deadline.ts';

const again = (state?: string): ScriptedAnswer => ({
  status: 408,
  json: {
    type: 'try_again',
    request_id: 'r',
    ...(state === undefined ? {} : { queue_state: state, queue_state_reason: 'busy' }),
  },
});
const done: ScriptedAnswer = { status: 200, json: { path: 'p' } };

async function poll(
  answers: readonly ScriptedAnswer[],
  options: { timeoutMs?: number; signal?: AbortSignal; asksForSize?: boolean } = {},
) {
  const clock = manualClock();
  const { fetch, calls } = scriptedFetch(answers, clock);
  const events: TinkerEvent[] = [];
  const transport = testTransport({ fetch, clock, onEvent: (event) => void events.push(event) });
  const result = pollFuture({
    transport,
    requestId: 'r',
    operation: 'optim_step',
    acceptsProtobuf: true,
    deadline: startDeadline({ timeoutMs: options.timeoutMs ?? 3_600_000, signal: options.signal, clock }),
    asksForSize: options.asksForSize ?? false,
    downloads: new ByteBudget(1000),
    billingPauseMs: 20_000,
  });
  const outcome: { json?: unknown; error?: Record<string, unknown> } = await result.then(
    (reply) => ({ json: reply.json() }),
    (error: unknown) => ({ error: error as Record<string, unknown> }),
  );
  return { outcome, calls, events, elapsedMs: clock.now() };
}

test('a pending job is asked for again until it is done, and queue states are told when they change', async () => {
  const { outcome, events, calls } = await poll([
    again('active'),
    again('active'),
    again('paused_capacity'),
    again(),
    done,
  ]);
  expect(outcome).toEqual({ json: { path: 'p' } });
  expect(calls).toHaveLength(5);
  expect(events).toMatchObject([
    { type: 'queue-state', state: 'active' },
    { type: 'queue-state', state: 'paused_capacity', reason: 'busy' },
  ]);
});

test('a server that answers at once is not asked in a hot loop', async () => {
  const { elapsedMs } = await poll([...Array.from({ length: 20 }, () => again()), done]);
  expect(elapsedMs).toBeGreaterThanOrEqual(20 * 50);
});

test('5xx is retried with growing waits, and given up after its budget', async () => {
  const recovered = await poll([{ status: 503 }, { status: 500 }, { status: 502 }, done]);
  expect(recovered.outcome).toEqual({ json: { path: 'p' } });
  expect(recovered.elapsedMs).toBeGreaterThan(500);
  const forever = await poll(Array.from({ length: 200 }, () => ({ status: 500, json: { detail: 'NaN' } })));
  expect(forever.outcome.error).toMatchObject({ kind: 'transport', status: 500, requestId: 'r', retryable: true });
  expect(forever.elapsedMs).toBeGreaterThan(120_000);
  expect(forever.calls.length).toBeLessThan(30);
});

test('Retry-After is kept', async () => {
  const { elapsedMs } = await poll([{ status: 429, headers: { 'retry-after': '7' } }, done]);
  expect(elapsedMs).toBeGreaterThanOrEqual(7000);
});

test('an unknown job has a short grace and is then expired', async () => {
  expect((await poll([{ status: 404 }, { status: 404 }, done])).outcome).toEqual({ json: { path: 'p' } });
  const { outcome, elapsedMs } = await poll(Array.from({ length: 100 }, () => ({ status: 404 })));
  expect(outcome.error).toMatchObject({ kind: 'promise-expired', status: 404, retryable: true });
  expect(elapsedMs).toBeLessThan(15_000);
});

test.each([
  ['410', { status: 410 }, { kind: 'promise-expired', retryable: true }],
  [
    '400 with a reason',
    { status: 400, json: { detail: 'loss is not supported' } },
    { kind: 'job-failed', category: 'user' },
  ],
  ['422 with a reason', { status: 422, json: { detail: 'Future failed' } }, { kind: 'job-failed', category: 'user' }],
  [
    'an error in a 200',
    { status: 200, json: { error: 'boom', category: 'server' } },
    { kind: 'job-failed', category: 'server', retryable: true },
  ],
  [
    '409 for the number',
    { status: 409, json: { detail: 'Sequence conflict: expected 4, got 5.' } },
    { kind: 'conflict', conflict: 'sequence', expected: 4, got: 5 },
  ],
  ['401', { status: 401 }, { kind: 'auth', retryable: false }],
])('%s ends the wait at once', async (_what, answer: ScriptedAnswer, error) => {
  const { outcome, calls } = await poll([answer]);
  expect(outcome.error).toMatchObject({ ...error, requestId: 'r' });
  expect(calls).toHaveLength(1);
});

test('a bare 400 is retried a few times', async () => {
  expect((await poll([{ status: 400 }, { status: 400 }, done])).outcome).toEqual({ json: { path: 'p' } });
  const { outcome, calls } = await poll(Array.from({ length: 9 }, () => ({ status: 400 })));
  expect([outcome.error?.['kind'], calls.length]).toEqual(['job-failed', 4]);
});

test('402 pauses, as an event, and not for ever', async () => {
  const paused = await poll([{ status: 402 }, done]);
  expect([paused.outcome, paused.events[0]?.type]).toEqual([{ json: { path: 'p' } }, 'billing-paused']);
  const { outcome } = await poll(Array.from({ length: 20 }, () => ({ status: 402 })));
  expect(outcome.error).toMatchObject({ kind: 'billing' });
});

test('a large result is announced, its bytes reserved, and asked for once more', async () => {
  const { calls } = await poll(
    [{ status: 200, json: { status: 'complete_metadata', response_payload_size: 400 } }, done],
    { asksForSize: true },
  );
  expect(calls.map(({ body }) => body)).toEqual([
    { request_id: 'r', allow_metadata_only: true },
    { request_id: 'r', allow_metadata_only: false },
  ]);
});

test('the wait ends at the deadline and tells what it knows', async () => {
  const { outcome, elapsedMs } = await poll(
    Array.from({ length: 1000 }, () => again('paused_capacity')),
    { timeoutMs: 2_000 },
  );
  expect(outcome.error).toMatchObject({
    kind: 'timeout',
    queueState: 'paused_capacity',
    lastPollStatus: 408,
    timeoutMs: 2_000,
  });
  expect(elapsedMs).toBeLessThan(2_200);
});

test('a broken connection is tried again', async () => {
  const { outcome } = await poll([{ failure: 'ECONNRESET' }, { failure: 'ECONNREFUSED' }, done]);
  expect(outcome).toEqual({ json: { path: 'p' } });
});

test('an aborted wait ends at once', async () => {
  const controller = new AbortController();
  controller.abort();
  const { outcome, calls } = await poll([done], { signal: controller.signal });
  expect([outcome.error?.['kind'], calls.length]).toEqual(['abandoned', 0]);
});

test('a job that ran and missed what it names is a failed job, asked for once', async () => {
  const detail = 'Failed to retrieve future: Checkpoint absent not found';
  const { outcome, calls } = await poll([{ status: 404, json: { detail } }]);
  expect(outcome.error).toMatchObject({ kind: 'job-failed', status: 404, retryable: false });
  expect(calls).toHaveLength(1);
});
