import { expect, test } from 'vitest';
import { allowSwing } from './allow-swing.ts';

const short = (figure: string, bar: string) => allowSwing({ name: 'a thing', figure, bar, ok: false });

test('a time that is over its bar by less than a half passes, and its bar says so', () => {
  expect(short('103 ms the longest task', '≤ 100 ms')).toMatchObject({ ok: true, bar: '≤ 100 ms; in CI ≤ 150 ms' });
  expect(short('14.2× (3 beside 40)', '≥ 20×')).toMatchObject({ ok: true, bar: '≥ 20×; in CI ≥ 13.33 ×' });
});

test.each([
  ['151 ms', '≤ 100 ms'],
  ['13.1×', '≥ 20×'],
  ['3 lost', '≤ 2 lost'],
  ['103 ms, 2 lost', '≤ 100 ms, ≤ 0 lost'],
  ['threw Error: 3 ms', '≤ 100 ms'],
  ['1.2 s', '≤ 1000 ms'],
  ['53 KB', '≤ 50 KB'],
])('%s of %s stays short', (figure, bar) => {
  expect(short(figure, bar)).toMatchObject({ ok: false, bar });
});

test('what is ok, and what was not run, is left as it is', () => {
  const fine = { name: 'a thing', figure: '10 ms', bar: '≤ 100 ms', ok: true };
  expect(allowSwing(fine)).toBe(fine);
  const missing = { name: 'a thing', figure: 'no podman', bar: '≤ 100 ms', ok: false, notRun: true as const };
  expect(allowSwing(missing)).toBe(missing);
});
