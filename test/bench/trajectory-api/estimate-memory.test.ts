import { describe, expect, it } from 'vitest';

import { estimateMemory } from './estimate-memory.ts';

const rss = { startBytes: 50, endBytes: 800, peakBytes: 900 };

describe('estimateMemory', () => {
  it('is the last reading of a run that went the whole way', () => {
    expect(estimateMemory({ acked: 1500, rss: { ...rss, series: [] } })).toBe(800);
  });

  it('extends a shorter run by its own slope after the warm-up', () => {
    const series = [
      { acked: 10, bytes: 400 },
      { acked: 200, bytes: 600 },
    ];
    expect(estimateMemory({ acked: 400, rss: { ...rss, series } })).toBe(800 + 1100);
  });

  it('charges no growth to a server that does not grow', () => {
    const series = [{ acked: 200, bytes: 850 }];
    expect(estimateMemory({ acked: 400, rss: { ...rss, series } })).toBe(800);
  });

  it('refuses to guess from a run that ended while warming up', () => {
    expect(() => estimateMemory({ acked: 90, rss: { ...rss, series: [{ acked: 50, bytes: 1 }] } })).toThrow(
      /too short/,
    );
  });
});
