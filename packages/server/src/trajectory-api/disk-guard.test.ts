import { describe, expect, it } from 'vitest';
import { DiskGuard } from './disk-guard.ts';

function createGuard(reserve = 0.1) {
  const disk = { freeBytes: 50, looks: 0 };
  let now = 0;
  const guard = new DiskGuard({
    reserve,
    monotonic: () => now,
    readFree: async () => {
      disk.looks += 1;
      return { freeBytes: disk.freeBytes, totalBytes: 100 };
    },
  });
  return { guard, disk, pass: (ms: number) => void (now += ms) };
}

describe('the disk guard', () => {
  it('refuses while less than the reserve is free, and says how it ends', async () => {
    const { guard, disk } = createGuard();
    disk.freeBytes = 9;
    await expect(guard.check()).rejects.toMatchObject({ code: 'disk-full', status: 507, retryAfterSeconds: 10 });
    expect(guard.isLow).toBe(true);
  });

  it('opens again by itself once there is room', async () => {
    const { guard, disk, pass } = createGuard();
    disk.freeBytes = 0;
    await expect(guard.check()).rejects.toThrow('no room');
    disk.freeBytes = 10;
    await expect(guard.check()).rejects.toThrow('no room');
    pass(1_001);
    await guard.check();
    expect(guard.isLow).toBe(false);
  });

  it('looks at most once a second, and once for all who ask together', async () => {
    const { guard, disk, pass } = createGuard();
    await Promise.all([guard.check(), guard.check(), guard.check()]);
    await guard.check();
    expect(disk.looks).toBe(1);
    pass(1_001);
    await guard.check();
    expect(disk.looks).toBe(2);
  });

  it('looks again after a look that failed', async () => {
    let looks = 0;
    const guard = new DiskGuard({
      reserve: 0.1,
      readFree: () =>
        looks++ === 0 ? Promise.reject(new Error('EIO')) : Promise.resolve({ freeBytes: 1, totalBytes: 1 }),
    });
    await expect(guard.check()).rejects.toThrow('EIO');
    await guard.check();
  });
});
