import { describe, expect, it } from 'vitest';
import { StoreTimeoutError } from '../errors/store-timeout-error.ts';
import { startDeadline } from './deadline.ts';
import { Gate } from './gate.ts';

describe('a gate', () => {
  it('lets waiters in by the order they came', async () => {
    const gate = new Gate(1);
    const order: number[] = [];
    const release = await gate.acquire();
    const waiters = [1, 2, 3].map(async (number) => {
      const releaseMine = await gate.acquire();
      order.push(number);
      releaseMine();
    });
    release();
    await Promise.all(waiters);
    expect(order).toEqual([1, 2, 3]);
  });

  it('forgets a waiter whose deadline passed', async () => {
    const gate = new Gate(1);
    const release = await gate.acquire();
    await expect(gate.acquire(startDeadline(10))).rejects.toSatisfy(StoreTimeoutError.isInstance);
    release();
    await expect(gate.acquire(startDeadline(10))).resolves.toBeTypeOf('function');
  });

  it('gives a place back once, however often it is released', async () => {
    const gate = new Gate(1);
    const release = await gate.acquire();
    release();
    release();
    await gate.acquire();
    await expect(gate.acquire(startDeadline(10))).rejects.toSatisfy(StoreTimeoutError.isInstance);
  });
});
