import { expect, test } from 'vitest';
import { escapeHtml } from './escape-html.ts';
import { isRecord } from './is-record.ts';
import { mean } from './mean.ts';

test('null and lists are no records, and an object is one whatever it was made by', () => {
  expect([null, undefined, [], 'a', 0, () => 0].filter(isRecord)).toEqual([]);
  expect([{}, Object.create(null), { a: 1 }].map(isRecord)).toEqual([true, true, true]);
});

test('the mean of nothing is 0', () => {
  expect([mean([]), mean([1, 2, 6]), mean(Float32Array.of(0.5, 1.5))]).toEqual([0, 3, 1]);
});

test('text stays text on a page, in an attribute of either quote too', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});
