import { expect, test } from 'vitest';
import { checkRlApiKeys, getMissingKeys } from './api-keys.ts';

test('each of three ways is enough, and a metrics account is none of them', () => {
  const ways = [
    { env: {} },
    { env: { TINKER_API_KEY: '', WANDB_API_KEY: 'w' } },
    { env: { TINKER_API_KEY: 'k' } },
    { env: { TINKER_BASE_URL: 'http://localhost:8000' } },
    { env: {}, hasLocalEngine: true },
  ];
  expect(ways.map(checkRlApiKeys)).toEqual([false, false, true, true, true]);
  expect(getMissingKeys({ env: {} })).toEqual(['TINKER_API_KEY', 'TINKER_BASE_URL']);
});
