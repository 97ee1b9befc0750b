import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TinkerEvent } from '../events.ts';
import { readClientFlags } from '../profile/client-flags.ts';
import { scriptedFetch, testTransport } from '../testing/transport-kit.fixture.ts';
import type { ScriptedAnswer } from '../testing/transport-kit.fixture.ts';
import { refreshFlags } from './refresh-flags.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function refresh(answers: readonly ScriptedAnswer[], dynamic: Record<string, unknown>) {
  const { fetch, calls } = scriptedFetch(answers);
  const events: TinkerEvent[] = [];
  const flags = readClientFlags({}, dynamic);
  const stop = refreshFlags({
    transport: testTransport({ fetch, onEvent: (event) => void events.push(event) }),
    flags,
  });
  return { flags, calls, events, stop };
}

const answer = (json: Record<string, unknown>): ScriptedAnswer => ({ status: 200, json });

test('flags change while the client runs, as often as the server says', async () => {
  const { flags, calls, stop } = refresh(
    [answer({ refresh_interval_sec: 60, sample_cancel_enabled: true }), answer({ refresh_interval_sec: 60 })],
    { refresh_interval_sec: 20 },
  );
  expect(flags.cancelsSamples).toBe(false);
  await vi.advanceTimersByTimeAsync(19_000);
  expect(calls).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(flags.cancelsSamples).toBe(true);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([calls.length, flags.cancelsSamples]).toEqual([2, false]);
  stop();
});

test('a server that asks for it all the time is asked every ten seconds', async () => {
  const { calls, stop } = refresh([answer({}), answer({})], { refresh_interval_sec: 0.001 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(calls).toHaveLength(1);
  stop();
});

test('a refresh that fails leaves the flags as they are and is tried again', async () => {
  const { flags, calls, events, stop } = refresh([{ status: 500 }, answer({ sample_cancel_enabled: false })], {
    refresh_interval_sec: 10,
    sample_cancel_enabled: true,
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([calls.length, flags.cancelsSamples]).toEqual([1, true]);
  expect(events).toMatchObject([{ type: 'operation-failed', operation: 'client/dynamic_config' }]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(flags.cancelsSamples).toBe(false);
  stop();
});

test('nothing is asked after the end', async () => {
  const { calls, stop } = refresh([answer({})], { refresh_interval_sec: 10 });
  stop();
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toHaveLength(0);
});
