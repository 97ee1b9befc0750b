import { expect, it } from 'vitest';
import { createRequestGate } from './request-gate.ts';

/** Time that passes when somebody sleeps. */
function createTime() {
  let now = 0;
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
    },
  };
}

const signal = new AbortController().signal;

it('lets as many requests through as a minute allows, over all who share the row', async () => {
  const clock = createTime();
  let next = 0;
  const shared = {
    reserve: async (count: number, intervalMs: number) => {
      const start = Math.max(next, clock.now());
      next = start + count * intervalMs;
      return start - clock.now();
    },
    pause: async () => undefined,
    readPause: async () => 0,
  };
  const gate = createRequestGate({ shared, requestsPerMinute: 120, clock });
  const times = [];
  for (let n = 0; n < 5; n += 1) {
    await gate.enter(signal);
    times.push(clock.now());
  }
  expect(times).toEqual([0, 500, 1_000, 1_500, 2_000]);
});

it('holds everybody while the server wants rest, also when another process was told', async () => {
  const clock = createTime();
  const pauses: number[] = [];
  const shared = {
    reserve: async () => 0,
    pause: async (ms: number) => void pauses.push(ms),
    readPause: async () => 9_000,
  };
  const gate = createRequestGate({ shared, clock });
  await gate.pause(4_000);
  await gate.enter(signal);
  expect([clock.now(), pauses]).toEqual([4_000, [4_000]]);
  await gate.refresh();
  await gate.enter(signal);
  expect(clock.now()).toBe(13_000);
});
