import { expect, it } from 'vitest';
import { findOtherHost } from './find-other-host.ts';

const here = { host: 'here', dialect: 'postgres' } as const;

it('finds the machine that a process lives on, unless it is this one or the process has ended', () => {
  const living = { host: 'there', instanceId: 'i', state: 'running' } as const;
  expect(findOtherHost([{ ...living, host: 'here' }, living], here)).toBe('there');
  expect(findOtherHost([{ ...living, host: 'here' }], here)).toBeUndefined();
  expect(findOtherHost([{ ...living, host: null }], here)).toBeUndefined();
  expect(findOtherHost([{ host: 'there', instanceId: null, state: 'ended' }], here)).toBeUndefined();
  expect(findOtherHost([living], { ...here, dialect: 'sqlite' })).toBeUndefined();
});
