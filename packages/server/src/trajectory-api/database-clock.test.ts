import { describe, expect, it } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

function createClock() {
  let monotonic = 100;
  const clock = new DatabaseClock({ monotonic: () => monotonic });
  return { clock, pass: (ms: number) => void (monotonic += ms) };
}

describe('the database clock', () => {
  it('cannot be read before it was synchronised', () => {
    const { clock } = createClock();
    expect(clock.isSynced).toBe(false);
    expect(() => clock.now()).toThrow(/before it was synchronised/);
  });

  it('goes on from the last answer by the monotonic clock, in whole milliseconds', () => {
    const { clock, pass } = createClock();
    clock.sync(1_000_000);
    pass(10.75);
    expect(clock.now()).toBe(1_000_010);
  });

  it('follows a database that is ahead', () => {
    const { clock, pass } = createClock();
    clock.sync(1_000);
    pass(10);
    clock.sync(5_000);
    pass(1);
    expect(clock.now()).toBe(5_001);
  });

  it('never runs backwards when an answer was long under way', () => {
    const { clock, pass } = createClock();
    clock.sync(1_000);
    pass(500);
    clock.sync(1_200);
    expect(clock.now()).toBe(1_500);
  });

  it('takes the first answer even when it is zero', () => {
    const { clock } = createClock();
    clock.sync(0);
    expect(clock.isSynced).toBe(true);
    expect(clock.now()).toBe(0);
  });
});
