import { describe, expect, it } from 'vitest';
import { Waiters } from './waiters.ts';

describe('waiters', () => {
  it('all go on at a wake, and later ones wait for the next', async () => {
    const waiters = new Waiters();
    const both = Promise.all([waiters.wait(10_000), waiters.wait(10_000)]);
    expect(waiters.size).toBe(2);
    waiters.wake();
    await both;
    expect(waiters.size).toBe(0);
  });

  it('go on at their deadline', async () => {
    const waiters = new Waiters();
    await waiters.wait(5);
    expect(waiters.size).toBe(0);
  });

  it('go on when their signal fires, and leave no listener behind', async () => {
    const waiters = new Waiters();
    const gone = new AbortController();
    const waiting = waiters.wait(10_000, gone.signal);
    gone.abort();
    await waiting;
    expect(waiters.size).toBe(0);
    waiters.wake();
  });

  it('do not wait at all without time or with a signal that fired already', async () => {
    const waiters = new Waiters();
    await waiters.wait(0);
    await waiters.wait(-5);
    await waiters.wait(10_000, AbortSignal.abort());
    expect(waiters.size).toBe(0);
  });

  it('may wait again while being woken', async () => {
    const waiters = new Waiters();
    let again: Promise<void> | undefined;
    const first = waiters.wait(10_000).then(() => void (again = waiters.wait(10_000)));
    waiters.wake();
    await first;
    expect(waiters.size).toBe(1);
    waiters.wake();
    await again;
  });
});
