import { expect, test } from 'vitest';
import { createSilenceMeter } from './silence-meter.ts';

test('a screen that is drawn again as it was stands still, and what stood there is told', () => {
  let now = 0;
  const meter = createSilenceMeter(() => now);
  for (const [at, text] of [
    [1_000, 'a\n'],
    [4_000, 'a\n'],
    [7_000, 'a\n  waiting\n'],
    [8_000, 'b'],
  ] as const) {
    now = at;
    meter.see(text);
  }
  expect(meter.read()).toEqual({ seconds: 6, during: 'a' });
  now = 20_000;
  expect(meter.read()).toEqual({ seconds: 12, during: 'b' });
});
