import { expect, test } from 'vitest';
import { createTicks } from './ticks.ts';

function createClock() {
  const timers = new Map<number, () => void>();
  let last = 0;
  const setTimer = ((run: () => void) => {
    timers.set(++last, run);
    return last;
  }) as unknown as typeof setTimeout;
  const clearTimer = ((id: number | undefined) => timers.delete(id ?? 0)) as unknown as typeof clearTimeout;
  const fire = (): void => {
    const due = [...timers.values()];
    timers.clear();
    for (const run of due) run();
  };
  return { ticks: createTicks({ everyMs: 500, setTimer, clearTimer }), timers, fire };
}

test('a thousand followers share one timer and one question', async () => {
  const { ticks, timers, fire } = createClock();
  const { signal } = new AbortController();
  let asked = 0;
  const answers = Array.from({ length: 1_000 }, async () => {
    await ticks.next(signal);
    return await ticks.share('run', async () => ++asked);
  });
  expect(timers.size).toBe(1);
  fire();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([1]));
  const again = ticks.next(signal).then(() => ticks.share('run', async () => ++asked));
  fire();
  expect(await again).toBe(2);
});

test('who leaves is not waited for, and the last one stops the timer', async () => {
  const { ticks, timers } = createClock();
  const [one, other] = [new AbortController(), new AbortController()];
  const waits = [ticks.next(one.signal), ticks.next(other.signal)];
  one.abort();
  expect(timers.size).toBe(1);
  other.abort();
  expect(timers.size).toBe(0);
  await Promise.all(waits);
  await ticks.next(one.signal);
  expect(timers.size).toBe(0);
});

test('a question that failed is asked again after the tick', async () => {
  const { ticks, fire } = createClock();
  await expect(ticks.share('run', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  const next = ticks.next(new AbortController().signal);
  fire();
  await next;
  expect(await ticks.share('run', async () => 1)).toBe(1);
});

test('who cannot wait shares what is being read, and nothing of it is kept', async () => {
  const { ticks } = createClock();
  let asked = 0;
  const read = async (): Promise<number> => ++asked;
  const together = await Promise.all(Array.from({ length: 500 }, () => ticks.join('run', read)));
  expect(new Set(together)).toEqual(new Set([1]));
  expect(await ticks.join('run', read)).toBe(2);
  await expect(ticks.join('gone', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await ticks.join('gone', read)).toBe(3);
});

test('a follower is listened to once, however often it waits', async () => {
  const { ticks, timers, fire } = createClock();
  const leaving = new AbortController();
  let listeners = 0;
  const listen = leaving.signal.addEventListener.bind(leaving.signal);
  leaving.signal.addEventListener = (...given: Parameters<typeof listen>) => {
    listeners += 1;
    listen(...given);
  };
  for (let turn = 0; turn < 10; turn += 1) {
    const woken = ticks.next(leaving.signal);
    fire();
    await woken;
  }
  expect(listeners).toBe(1);
  const last = ticks.next(leaving.signal);
  leaving.abort();
  await last;
  expect(timers.size).toBe(0);
});
