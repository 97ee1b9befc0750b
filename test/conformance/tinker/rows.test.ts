import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { EXPECTED_FAILURES } from './expected-failures.ts';
import { largestDifference } from './rows/expect.ts';
import { ROWS } from './rows/row.ts';

const page = readFileSync(new URL('../../../docs/protocols/tinker.md', import.meta.url), 'utf8');
const table = page.slice(page.indexOf('## What differs'));
const lines = [...table.matchAll(/^\| (?<topic>[^|]+?) \| (?<skyrl>[^|]+) \| (?<tuft>[^|]+) \|$/gm)].map(
  ({ groups }) => groups as Record<'skyrl' | 'topic' | 'tuft', string>,
);

describe('the page of the protocol', () => {
  test('has the rows that are checked, in their order', () => {
    expect(lines.map(({ topic }) => topic)).toEqual(Object.values(ROWS));
  });

  test('marks what is not met, and nothing else', () => {
    const marked = lines.flatMap(({ topic, ...cells }) =>
      (['skyrl', 'tuft'] as const)
        .filter((server) => cells[server].includes('✗'))
        .map((server) => `${server} ${topic}`),
    );
    expect(marked.toSorted()).toEqual(EXPECTED_FAILURES.map(({ server, row }) => `${server} ${ROWS[row]}`).toSorted());
  });
});

describe('expected failures', () => {
  test('are listed once, with a reason', () => {
    const names = EXPECTED_FAILURES.map(({ server, row }) => `${server}/${row}`);
    expect(new Set(names).size).toBe(names.length);
    expect(EXPECTED_FAILURES.filter(({ reason }) => reason === '')).toEqual([]);
  });
});

describe('largestDifference', () => {
  test('is above every bar when something is missing or not a number', () => {
    expect(largestDifference([[1, 2]], [[1, 2.5]])).toBe(0.5);
    for (const [left, right] of [
      [[], []],
      [[[1]], []],
      [[[1]], [[1, 2]]],
      [[[]], [[]]],
      [[[Number.NaN]], [[Number.NaN]]],
    ]) {
      expect(largestDifference(left ?? [], right ?? [])).toBe(Number.POSITIVE_INFINITY);
    }
  });
});
