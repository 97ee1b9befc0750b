import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecordDrain } from './drain.ts';

describe('a drain of records', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('drains once for many records, a while after the first', async () => {
    const drain = vi.fn(async () => undefined);
    const own = new RecordDrain({ drain, everyMs: 250, onTrouble: () => undefined });
    for (let count = 0; count < 100; count += 1) own.wake();
    await vi.advanceTimersByTimeAsync(249);
    expect(drain).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(drain).toHaveBeenCalledTimes(1);
  });

  it('drains again for what came while it drained, and never twice at once', async () => {
    let [running, most] = [0, 0];
    const drain = vi.fn(async () => {
      most = Math.max(most, (running += 1));
      if (drain.mock.calls.length === 1) own.wake();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      running -= 1;
    });
    const own = new RecordDrain({ drain, everyMs: 250, onTrouble: () => undefined });
    own.wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(drain).toHaveBeenCalledTimes(2);
    expect(most).toBe(1);
  });

  it('tries again later and later, says so once, and says when it works again', async () => {
    let isAway = true;
    const told: string[] = [];
    const drain = vi.fn(async () => {
      if (isAway) throw new Error('away');
    });
    const own = new RecordDrain({
      drain,
      everyMs: 250,
      onTrouble: () => void told.push('trouble'),
      onRecovery: () => void told.push('recovery'),
    });
    own.wake();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(drain.mock.calls.length).toBeLessThan(12);
    isAway = false;
    await vi.advanceTimersByTimeAsync(31_000);
    expect(told).toEqual(['trouble', 'recovery']);
  });

  it('says nothing of a drain that was still under way when it was left', async () => {
    const onTrouble = vi.fn();
    const taken = Promise.withResolvers<void>();
    const own = new RecordDrain({ drain: () => taken.promise, everyMs: 250, onTrouble });
    own.wake();
    const closing = own.close({ withinMs: 100 });
    await vi.advanceTimersByTimeAsync(100);
    await closing;
    taken.reject(new Error('the store is closed'));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(onTrouble).not.toHaveBeenCalled();
  });

  it('drains what waits when it is closed, and then no more', async () => {
    const drain = vi.fn(async () => undefined);
    const own = new RecordDrain({ drain, everyMs: 250, onTrouble: () => undefined });
    own.wake();
    await own.close();
    await own.close();
    own.wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(drain).toHaveBeenCalledTimes(1);
    const idle = new RecordDrain({ drain, onTrouble: () => undefined });
    await idle.close();
    expect(drain).toHaveBeenCalledTimes(1);
  });

  it('does not wait for a store that does not answer', async () => {
    const own = new RecordDrain({ drain: () => new Promise(() => undefined), onTrouble: () => undefined });
    own.wake();
    const closed = own.close();
    await vi.advanceTimersByTimeAsync(2_000);
    await closed;
  });
});
