import { expect, test } from 'vitest';

import { readOutsideServer } from './read-outside-server.ts';

test.each([
  [{}, undefined],
  [{ TINKER_BASE_URL: ' ', TINKER_API_KEY: '' }, undefined],
  [{ TINKER_API_KEY: 'tml-1' }, { url: undefined, variable: 'TINKER_API_KEY' }],
  [
    { TINKER_BASE_URL: 'https://gpu.example/', TINKER_API_KEY: 'tml-1' },
    { url: 'https://gpu.example', variable: 'TINKER_BASE_URL' },
  ],
  [
    { TINKER_BASE_URL: 'https://me:secret@gpu.example/a' },
    { url: 'https://gpu.example/a', variable: 'TINKER_BASE_URL' },
  ],
  // Somebody exported what `engine up` printed.
  [{ TINKER_BASE_URL: 'http://localhost:8100', TINKER_API_KEY: 'tml-local' }, undefined],
  [{ TINKER_BASE_URL: 'http://127.0.0.1:9001/' }, undefined],
  [{ TINKER_BASE_URL: 'http://127.0.0.1:9002' }, { url: 'http://127.0.0.1:9002', variable: 'TINKER_BASE_URL' }],
])('%j means %j', (env, expected) => {
  expect(readOutsideServer({ env, localUrls: ['http://127.0.0.1:9001'] })).toEqual(expected);
});
