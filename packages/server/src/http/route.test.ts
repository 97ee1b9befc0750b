import { expect, test } from 'vitest';
import { pathsOf } from './route.ts';

test('the root of a run is its name alone', () => {
  expect(pathsOf({ path: '/', perRun: true })).toEqual(['/', '/run/:run']);
  expect(pathsOf({ path: '/batch', perRun: true })).toEqual(['/batch', '/run/:run/batch']);
  expect(pathsOf({ path: '/health', perRun: false })).toEqual(['/health']);
});
