import { expect, it } from 'vitest';
import { findNearest } from './find-nearest.ts';

it('finds the name that was meant', () => {
  expect(findNearest('rnus', ['up', 'runs', 'train'])).toBe('runs');
  expect(findNearest('x', [])).toBeUndefined();
});
