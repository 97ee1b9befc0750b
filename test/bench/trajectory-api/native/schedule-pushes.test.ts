import { describe, expect, it } from 'vitest';

import { schedulePushes } from './schedule-pushes.ts';

const burst = { everySeconds: 30, lastsSeconds: 5, factor: 3 };

describe('schedulePushes', () => {
  it('keeps the rate between bursts and multiplies it in them', () => {
    const due = [...schedulePushes({ seconds: 60, rate: 10, burst })];
    const count = (from: number, to: number): number => due.filter((at) => at >= from && at < to).length;
    expect(count(0, 25)).toBeGreaterThanOrEqual(249);
    expect(count(0, 25)).toBeLessThanOrEqual(251);
    expect(count(25, 30)).toBeGreaterThanOrEqual(149);
    expect(count(25, 30)).toBeLessThanOrEqual(151);
  });

  it('is in order and the same every time', () => {
    const due = [...schedulePushes({ seconds: 40, rate: 11, burst })];
    expect(due).toEqual([...due].sort((left, right) => left - right));
    expect([...schedulePushes({ seconds: 40, rate: 11, burst })]).toEqual(due);
  });
});
