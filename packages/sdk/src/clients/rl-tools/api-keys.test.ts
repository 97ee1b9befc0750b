import { expect, test } from 'vitest';
import { checkRlApiKeys, getMissingKeys } from './api-keys.ts';

test('each of three ways is enough, and a metrics account is none of them', () => {
  const ways = [
    { environment: {} },
    { environment: { TINKER_API_KEY: '', WANDB_API_KEY: 'w' } },
    { environment: { TINKER_API_KEY: 'k' } },
    { environment: { TINKER_BASE_URL: 'http://localhost:8000' } },
    { environment: {}, hasLocalEngine: true },
  ];
  expect(ways.map(checkRlApiKeys)).toEqual([false, false, true, true, true]);
  expect(getMissingKeys({ environment: {} })).toEqual(['TINKER_API_KEY', 'TINKER_BASE_URL']);
});
