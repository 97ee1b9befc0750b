import { expect, it } from 'vitest';
import { toStoreError } from './postgres-error.ts';

const context = { deadlineMs: 5_000, outcome: 'unknown' } as const;
const withCode = (code: string, extra: object = {}) => Object.assign(new Error('the message'), { code, ...extra });

it.each([
  ['53100', 'DiskFullError'],
  ['ENOSPC', 'DiskFullError'],
  ['23505', 'StoreConflictError'],
  ['57014', 'StoreTimeoutError'],
  ['55P03', 'StoreTimeoutError'],
  ['25P03', 'StoreTimeoutError'],
  ['40P01', 'StoreUnavailableError'],
  ['57P01', 'StoreUnavailableError'],
  ['57P03', 'StoreUnavailableError'],
  ['53300', 'StoreUnavailableError'],
  ['08006', 'StoreUnavailableError'],
  ['ECONNREFUSED', 'StoreUnavailableError'],
  ['ECONNRESET', 'StoreUnavailableError'],
  ['EPIPE', 'StoreUnavailableError'],
])('makes %s a %s', (code, name) => {
  const error = toStoreError(withCode(code), context);
  expect(error.name).toBe(name);
  expect(error.cause).toBeInstanceOf(Error);
});

it('says that a write is unknown when the connection broke, and not written when the server refused', () => {
  expect(toStoreError(withCode('ECONNRESET'), context)).toMatchObject({ outcome: 'unknown', retryable: true });
  expect(toStoreError(withCode('40P01'), context)).toMatchObject({ outcome: 'nothing-written' });
  expect(toStoreError(withCode('57014'), context)).toMatchObject({ outcome: 'nothing-written' });
});

it('names the constraint of a conflict', () => {
  expect(toStoreError(withCode('23505', { constraint: 'runs_pkey' }), context)).toMatchObject({
    constraint: 'runs_pkey',
  });
});

it('recognises the lost connections that pg reports without a code', () => {
  expect(toStoreError(new Error('Connection terminated unexpectedly'), context).name).toBe('StoreUnavailableError');
});

it('leaves a fault of the statement as it is', () => {
  const syntax = withCode('42601');
  expect(toStoreError(syntax, context)).toBe(syntax);
  const range = new RangeError('too large');
  expect(toStoreError(range, context)).toBe(range);
});
