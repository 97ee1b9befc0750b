import { expect, test } from 'vitest';
import { prefersHtml } from './prefers-html.ts';

test.each([
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  'text/html',
  'TEXT/HTML; q=0.5',
  'application/json;q=0.8, text/html',
])('a browser that opens an address prefers a page: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/html',
  'text/html;q=0',
  'text/html;q=x',
  'application/json, text/html;q=0.9',
  'text/plain, text/*',
  'image/avif,image/webp,*/*;q=0.8',
])('a program does not: %s', (accept) => {
  expect(prefersHtml(accept)).toBe(false);
});
