import { ClientError } from '@lachesis/sdk';
import { expect, test } from 'vitest';
import { makePageAddress } from './page-address.ts';

const makeError = (code: 'conflict' | 'forbidden') =>
  new ClientError({ code, reason: 'no', call: 'POST /v1/session/code', retryable: false });

test('the address holds the code behind its #, where browsers send it to nobody', async () => {
  const makeSessionCode = async () => ({ code: 'abc', expires_at: 1 });
  expect(await makePageAddress({ url: 'http://127.0.0.1:8080', makeSessionCode })).toBe('http://localhost:8080/#abc');
  expect(await makePageAddress({ url: 'https://train.example/', makeSessionCode })).toBe('https://train.example/#abc');
});

test('a server that asks for no token is opened as it is', async () => {
  const refuse = (code: 'conflict' | 'forbidden') => async () => await Promise.reject(makeError(code));
  expect(await makePageAddress({ url: 'http://127.0.0.1:8080', makeSessionCode: refuse('conflict') })).toBe(
    'http://localhost:8080/',
  );
  await expect(
    makePageAddress({ url: 'http://127.0.0.1:8080', makeSessionCode: refuse('forbidden') }),
  ).rejects.toMatchObject({ code: 'forbidden' });
});
