import { expect, test } from 'vitest';
import { findRefusal } from './find-refusal.ts';

const open = { accessToken: undefined };

test('without a token only this machine is served, and no page of another origin', () => {
  const statuses = [
    { host: 'localhost:8090' },
    { host: '127.0.0.1:8090', origin: 'http://localhost:6274' },
    { host: '[::1]:8090' },
    { host: 'evil.example:8090' },
    { host: 'localhost:8090', origin: 'https://evil.example' },
    { host: 'localhost:8090', origin: 'null' },
    {},
  ].map((headers) => findRefusal(headers, open)?.status);
  expect(statuses).toEqual([undefined, undefined, undefined, 403, 403, 403, 403]);
});

test('with a token it is asked of everybody, under whatever name', () => {
  const closed = { accessToken: 'sesame' };
  const statuses = [
    { host: 'lachesis.example', authorization: 'Bearer sesame' },
    { host: 'localhost', authorization: 'Bearer sesam' },
    { host: 'localhost', authorization: 'sesame' },
    { host: 'localhost' },
  ].map((headers) => findRefusal(headers, closed)?.status);
  expect(statuses).toEqual([undefined, 401, 401, 401]);
});
