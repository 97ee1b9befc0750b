import { expect, it } from 'vitest';
import { editDistance } from './edit-distance.ts';

it('counts letters put in, left out and changed', () => {
  expect([
    editDistance('', 'ab'),
    editDistance('ab', 'ab'),
    editDistance('ab', 'axb'),
    editDistance('ab', 'cb'),
  ]).toEqual([2, 0, 1, 1]);
});
