import { expect, test } from 'vitest';
import { createCostMeter } from './cost-meter.ts';

test('adds what was read, sampled and trained on to what the run had cost before', async () => {
  let prompt = 1e6;
  const meter = createCostMeter({
    price: { input: 1, output: 2, train: 4 },
    before: 10,
    readTokens: async () => ({ prompt, sampled: 5e5 }),
  });
  expect(await meter(250_000)).toBe(13);
  prompt += 1e6;
  expect(await meter(250_000)).toBe(15);
});
