import { expect, test } from 'vitest';

import { PackedGroupError } from '../codec/packed-group-error.ts';
import { errorBodySchema } from '../trajectory-api/error-body.ts';
import { ERROR_CODES, isErrorCode } from './error-codes.ts';
import { LachesisError, toLachesisError } from './lachesis-error.ts';

test('every code has its status and says whether to retry', () => {
  const table = Object.fromEntries(
    Object.entries(ERROR_CODES).map(([code, { status, retryable }]) => [code, `${status}${retryable ? ' retry' : ''}`]),
  );
  expect(table).toEqual({
    'bad-request': '400',
    unauthorized: '401',
    forbidden: '403',
    'not-found': '404',
    'too-slow': '408 retry',
    conflict: '409',
    'stale-lease': '409',
    gone: '410',
    'too-large': '413',
    'unsupported-encoding': '415',
    invalid: '422',
    'back-pressure': '429 retry',
    internal: '500 retry',
    unavailable: '503 retry',
    'disk-full': '507 retry',
  });
  expect(isErrorCode('gone')).toBe(true);
  expect(isErrorCode('constructor')).toBe(false);
});

test('an error is recognised by its marker, also from another copy of the package', () => {
  const error = new LachesisError({ code: 'gone', message: 'The run is archived.' });
  const copy = { [Symbol.for('lachesis.protocol.lachesis-error')]: true };
  expect([error, copy, new Error('other'), null, 'text'].map((value) => LachesisError.isInstance(value))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('the body holds code, message, hint and issues and leaves the cause out', () => {
  const error = new LachesisError({
    code: 'invalid',
    message: 'The group is not valid.',
    hint: 'Send one score per sequence.',
    issues: [{ sequence: 2, field: 'scores', message: 'is not finite' }],
    cause: new Error('secret'),
  });
  expect(errorBodySchema.parse(JSON.parse(JSON.stringify(error.toBody())))).toEqual({
    error: {
      code: 'invalid',
      message: 'The group is not valid.',
      hint: 'Send one score per sequence.',
      issues: [{ sequence: 2, field: 'scores', message: 'is not finite' }],
    },
  });
  expect([error.status, error.isRetryable]).toEqual([422, false]);
});

test('what was thrown becomes known once and keeps its cause', () => {
  const known = new LachesisError({ code: 'conflict', message: 'No.' });
  expect(toLachesisError(known)).toBe(known);

  const unknown = new TypeError('password=1');
  const wrapped = toLachesisError(unknown);
  expect([wrapped.code, wrapped.cause, wrapped.stack]).toEqual(['internal', unknown, unknown.stack]);
  expect(JSON.stringify(wrapped.toBody())).not.toContain('password');

  const packed = toLachesisError(new PackedGroupError({ section: 'masks', reason: 'is missing' }));
  expect(packed.toBody().error.issues).toEqual([{ sequence: null, field: 'masks', message: 'is missing' }]);
});
