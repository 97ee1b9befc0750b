import { expect, test } from 'vitest';
import { findBrokenBound, type FieldBounds } from './field-bounds.ts';

test.each<[FieldBounds, unknown, string | undefined]>([
  [{ minimum: 1, maximum: 4 }, 4, undefined],
  [{ minimum: 1, maximum: 4 }, 5, 'at most 4'],
  [{ minimum: 1, maximum: 4 }, 0, 'at least 1'],
  [{ exclusive_minimum: 0 }, 0, 'greater than 0'],
  [{ exclusive_maximum: 1 }, 1, 'less than 1'],
  [{ multiple_of: 0.1 }, 0.3, undefined],
  [{ multiple_of: 2 }, 3, 'a multiple of 2'],
  [{ min_length: 1 }, '', 'at least 1 characters'],
  [{ max_length: 1 }, ['a', 'b'], 'at most 1 entries'],
  [{ pattern: '^\\d$' }, '7', undefined],
  [{ pattern: '^\\d$' }, '77', 'a text that fits ^\\d$'],
  [{ pattern: '(?P<x>' }, 'anything', undefined],
  [{ choices: [1, 2] }, 3, 'one of 1, 2'],
])('of the bounds %j the value %j breaks: %s', (bounds, value, broken) => {
  expect(findBrokenBound(bounds, value)).toBe(broken);
});
