import { describe, expect, it } from 'vitest';

import { countForeignCores, sampleMachine, waitForQuiet } from './machine-noise.ts';

describe('foreign cores', () => {
  it('are what the machine was busy with beyond our own processes', () => {
    const before = { atMs: 1000, busySeconds: 50, ownSeconds: 10 };
    const after = { atMs: 3000, busySeconds: 53, ownSeconds: 12.5 };
    expect(countForeignCores(before, after)).toBeCloseTo(0.25);
  });

  it('are never below none, whatever the clocks round to', () => {
    const before = { atMs: 0, busySeconds: 0, ownSeconds: 0 };
    expect(countForeignCores(before, { atMs: 1000, busySeconds: 0.9, ownSeconds: 1 })).toBe(0);
    expect(countForeignCores(before, before)).toBe(0);
  });

  it('are read from this machine', async () => {
    const sample = sampleMachine([process.pid]);
    expect(sample.busySeconds).toBeGreaterThan(0);
    expect(sample.ownSeconds).toBeGreaterThan(0);
    const options = { ownRoots: [process.pid], maxForeignCores: -1, timeoutMs: 1, windowMs: 20 };
    expect(await waitForQuiet(options)).toBeGreaterThanOrEqual(0);
  });
});
