import { expect, test } from 'vitest';
import { addressWithCredentials, withoutCredentials } from './engine-address.ts';

test('an address is kept without its credentials, and gets them back from the variable that names the same engine', () => {
  const given = 'https://me:open-sesame@engine.example:8101/base/?key=1';
  const kept = withoutCredentials(given);
  expect(kept).toBe('https://engine.example:8101/base');
  expect(addressWithCredentials(kept, given)).toBe(given);
  expect(addressWithCredentials(kept, 'https://me:other@elsewhere.example')).toBe(kept);
  expect(addressWithCredentials(kept, undefined)).toBe(kept);
});
