import { expect, test } from 'vitest';
import { findLeaks, findSecrets } from './find-secrets.ts';

const token = (letter: string): string => `lch_${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}_${letter.repeat(43)}`;
const secrets = new Map([
  ['admin', token('a')],
  ['key', 'sk-value'],
]);

test('finds known secrets by name and tokens that nobody named', () => {
  expect(findSecrets(`x ${token('a')} y ${token('b')} ${token('b')}`, secrets)).toEqual({
    known: ['admin'],
    unknownTokens: [token('b')],
  });
});

test('what a canary may see is no leak, everything else is', () => {
  const seen = [{ authorization: 'Bearer sk-value' }, { authorization: `Bearer ${token('b')}` }, { a: token('a') }];
  expect(findLeaks(seen, { secrets, allowed: ['key'] })).toEqual(['a token of a process', 'admin']);
  expect(findLeaks(seen.slice(0, 1), { secrets, allowed: ['key'] })).toEqual([]);
});
