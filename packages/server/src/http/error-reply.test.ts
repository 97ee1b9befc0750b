import { ERROR_CODES, LachesisError, type ErrorCode } from '@lachesis/protocol';
import { StaleWriteError, StoreConflictError, StoreTimeoutError, StoreUnavailableError } from '@lachesis/store';
import { DiskFullError } from '@lachesis/store/blobs';
import { describe, expect, it } from 'vitest';
import { diskFullError, toErrorReply } from './error-reply.ts';

describe('the reply to an error', () => {
  it.each(Object.keys(ERROR_CODES) as ErrorCode[])('%s travels with its status, code, message and hint', (code) => {
    const reply = toErrorReply(new LachesisError({ code, message: 'what happened', hint: 'what to do' }));
    expect(reply.status).toBe(ERROR_CODES[code].status);
    expect(reply.body).toEqual({ error: { code, message: 'what happened', hint: 'what to do' } });
  });

  it('names when to come back', () => {
    const error = new LachesisError({ code: 'back-pressure', message: 'full', retryAfterSeconds: 3 });
    expect(toErrorReply(error).headers).toEqual({ 'retry-after': '3' });
  });

  it('says how to log in', () => {
    const error = new LachesisError({ code: 'unauthorized', message: 'who are you' });
    expect(toErrorReply(error).headers).toEqual({ 'www-authenticate': 'Bearer' });
  });

  it('keeps what we did not expect to ourselves', () => {
    const { status, body } = toErrorReply(new Error('password=hunter2 in secret.ts'));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|secret/);
  });

  it.each([undefined, null, 0, '', 'text', Symbol('x'), () => 1])('survives that %s was thrown', (thrown) => {
    expect(toErrorReply(thrown).status).toBe(500);
  });

  it.each([
    ['a body over the limit', 413, 413, 'too-large'],
    ['a length that lies', 400, 400, 'bad-request'],
    ['a media type without a parser', 415, 400, 'bad-request'],
  ] as const)('takes the refusal of the framework for %s', (_, statusCode, status, code) => {
    const reply = toErrorReply(Object.assign(new Error('from the framework'), { statusCode }));
    expect(reply).toMatchObject({ status, body: { error: { code, message: 'from the framework' } } });
  });

  it('does not believe a framework error with a status of 500', () => {
    expect(toErrorReply(Object.assign(new Error('secret'), { statusCode: 500 })).body.error.code).toBe('internal');
  });

  it.each([
    ['is away', new StoreUnavailableError({ detail: 'ECONNREFUSED 10.0.0.7', outcome: 'nothing-written' })],
    ['is too slow', new StoreTimeoutError({ waitingFor: 'the commit', deadlineMs: 5, outcome: 'unknown' })],
    ['is written by others all the time', new StaleWriteError({ statementIndex: 0, expectedRows: 1, actualRows: 0 })],
  ])('asks to come back when the database %s', (_, error) => {
    const reply = toErrorReply(error);
    expect(reply).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      body: { error: { code: 'unavailable' } },
    });
    expect(JSON.stringify(reply.body)).not.toContain('10.0.0.7');
  });

  it('says that the disk is full', () => {
    expect(toErrorReply(new DiskFullError({ target: '/data' })).status).toBe(507);
    expect(toErrorReply(diskFullError()).headers).toEqual({ 'retry-after': '10' });
  });

  it('takes a key that exists for a fault of ours: routes that expect one answer it themselves', () => {
    expect(toErrorReply(new StoreConflictError({ constraint: 'groups' })).status).toBe(500);
  });
});
