import { describe, expect, it } from 'vitest';
import { ByteBudget } from './byte-budget.ts';

/** Whether a promise has settled by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await new Promise(setImmediate);
  return done;
}

describe('the byte budget', () => {
  it('admits up to its size and lets the rest wait', async () => {
    const budget = new ByteBudget(10);
    const release = await budget.acquire(6);
    await budget.acquire(4);
    const third = budget.acquire(5);
    expect(await isDone(third)).toBe(false);
    release();
    expect(await isDone(third)).toBe(true);
    expect(budget.used).toBe(9);
  });

  it('serves in order of arrival: a small one does not overtake a large one', async () => {
    const budget = new ByteBudget(10);
    const release = await budget.acquire(6);
    const large = budget.acquire(8);
    const small = budget.acquire(1);
    expect(await isDone(small)).toBe(false);
    release();
    expect(await isDone(large)).toBe(true);
    expect(await isDone(small)).toBe(true);
  });

  it('counts what is larger than the whole budget as the whole budget', async () => {
    const budget = new ByteBudget(10);
    const release = await budget.acquire(1_000);
    expect(budget.used).toBe(10);
    release();
    expect(budget.used).toBe(0);
  });

  it('counts an empty body as a byte, so that many of them are bounded too', async () => {
    const budget = new ByteBudget(2);
    await budget.acquire(0);
    await budget.acquire(-7);
    expect(await isDone(budget.acquire(0))).toBe(false);
  });

  it('takes back each share once, however often it is released', async () => {
    const budget = new ByteBudget(10);
    const release = await budget.acquire(4);
    await budget.acquire(4);
    release();
    release();
    expect(budget.used).toBe(4);
  });
});
