import { expect, it, vi } from 'vitest';

import { Outages } from './outages.ts';

it('takes from a push what it spent in an outage, and nothing else', async () => {
  const outages = new Outages();
  let now = 100;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  await outages.note('a kill', () =>
    outages.during(async () => {
      now = 400;
    }),
  );
  vi.restoreAllMocks();
  expect(outages.longestMs).toBe(300);
  expect(outages.beyond({ from: 0, to: 1_000 })).toBe(700);
  expect(outages.beyond({ from: 300, to: 450 })).toBe(50);
  expect(outages.beyond({ from: 500, to: 600 })).toBe(100);
  expect(outages.met({ from: 50, to: 110 })).toEqual(['a kill (50 to 350 ms)']);
  expect(outages.met({ from: 500, to: 600 })).toEqual([]);
});
