import { expect, it } from 'vitest';
import { ArrivalWatch } from './arrival-watch.ts';

function open() {
  let now = 0;
  const watch = new ArrivalWatch({ rules: { bytesPerSecond: 100, windowMs: 1_000 }, monotonic: () => now });
  return {
    begin: () => {
      let slow = 0;
      const arrival = watch.begin(() => (slow += 1));
      return { ...arrival, isSlow: () => slow > 0 };
    },
    pass: (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        now += 100;
        watch.sweep();
      }
    },
    sleep: (ms: number) => {
      now += ms;
      watch.sweep();
    },
    [Symbol.dispose]: () => watch.close(),
  };
}

it('tells of a body that came slower than the rate, after a window and not before', () => {
  using watch = open();
  const [slow, fast] = [watch.begin(), watch.begin()];
  slow.count(99);
  fast.count(100);
  watch.pass(900);
  expect(slow.isSlow()).toBe(false);
  watch.pass(100);
  expect([slow.isSlow(), fast.isSlow()]).toEqual([true, false]);
});

it('judges every window: what came before does not pay for a stall', () => {
  using watch = open();
  const stalling = watch.begin();
  stalling.count(1_000_000);
  watch.pass(1_000);
  expect(stalling.isSlow()).toBe(false);
  watch.pass(1_000);
  expect(stalling.isSlow()).toBe(true);
});

it('does not count the time in which nobody reads, nor our own absence', () => {
  using watch = open();
  const [held, waiting, done] = [watch.begin(), watch.begin(), watch.begin()];
  held.pause();
  done.end();
  watch.sleep(60_000);
  expect([held.isSlow(), waiting.isSlow()]).toEqual([false, false]);
  held.resume();
  watch.pass(900);
  expect(held.isSlow()).toBe(false);
  watch.pass(100);
  expect([held.isSlow(), done.isSlow()]).toEqual([true, false]);
});
