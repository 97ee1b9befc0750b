import { expect, it } from 'vitest';
import { filesNeeded, fitCalls, readFileLimit } from './file-limit.ts';

const limits = (soft: string) => () =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft.padEnd(21)}1048576              files\n`;

it('reads the limit of open files where the system tells it', () => {
  expect(readFileLimit(limits('400'))).toBe(400);
  expect(readFileLimit(limits('unlimited'))).toBeUndefined();
  expect(
    readFileLimit(() => {
      throw new Error('no such file');
    }),
  ).toBeUndefined();
});

it('takes no more calls than there are descriptors for', () => {
  expect(fitCalls(2_000, undefined)).toBe(2_000);
  expect(fitCalls(2_000, 20_000)).toBe(2_000);
  expect(fitCalls(2_000, 400)).toBe(136);
  expect(fitCalls(2_000, 100)).toBeNull();
  expect(fitCalls(100, filesNeeded(100))).toBe(100);
});
