import { expect, it } from 'vitest';
import { editDistance, findNearest } from './find-nearest.ts';

it('finds the name that was meant', () => {
  expect(findNearest('rnus', ['up', 'runs', 'train'])).toBe('runs');
  expect(findNearest('x', [])).toBeUndefined();
});

it('counts letters put in, left out and changed', () => {
  expect([
    editDistance('', 'ab'),
    editDistance('ab', 'ab'),
    editDistance('ab', 'axb'),
    editDistance('ab', 'cb'),
  ]).toEqual([2, 0, 1, 1]);
});
