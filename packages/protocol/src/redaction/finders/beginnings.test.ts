import { expect, test } from 'vitest';
import { createBeginnings } from './beginnings.ts';
import { findKnownForms } from './find-known-forms.ts';

const ownersAt = (lists: Parameters<typeof createBeginnings>[0], text: string): readonly number[] => {
  const { find, groups } = createBeginnings(lists);
  return groups[find(text, 0)] ?? [];
};
const list = (...starts: string[]): { starts: string[]; isExact: boolean } => ({ starts, isExact: false });

test('the longest beginning has the owners of the shorter ones, in the order they were given', () => {
  const lists = [list('password'), list('pass', 'pat'), list('pw')];
  expect(ownersAt(lists, 'Passwords')).toEqual([0, 1]);
  expect(ownersAt(lists, 'passage')).toEqual([1]);
  expect(ownersAt(lists, 'pass')).toEqual([1]);
  expect(ownersAt(lists, 'pas')).toEqual([]);
  expect(ownersAt(lists, 'paß')).toEqual([]);
});

test.each([' ', '\t', '\n', '\r', '\u00A0', '\u2003'])('a blank is any blank: %j', (blank) => {
  expect(ownersAt([list('token ')], `token${blank}x`)).toEqual([0]);
});

test('the first two characters are enough to pass over a word, in both cases unless one is meant', () => {
  const { mayBegin } = createBeginnings([list('ab'), { starts: ['Mx'], isExact: true }]);
  const may = (text: string): number | undefined => mayBegin[text.charCodeAt(0) * 128 + text.charCodeAt(1)];
  expect(['ab', 'AB', 'Ab', 'ac', 'Mx', 'mx', 'MX'].map(may)).toEqual([1, 1, 1, 0, 1, 0, 0]);
});

/** A rule whose pattern begins in a way that its list of beginnings has not would never be tried there. */
test.each([
  ['passwd is S3cret-Pw99', 'password'],
  ['the passwords are\u00A0S3cret-Pw99', 'password'],
  ['api-keys is S3cret-Pw99x', 'password'],
  ['access token is S3cret-Pw99x', 'password'],
  ['mot de passe est S3cret-Pw99', 'password'],
  ['pwd\tS3cret-Pw99', 'password'],
  ['setx\tMY_TOKEN S3cret-Pw99', 'password'],
  ['basicauth("me", "S3cret-Pw99")', 'password'],
  ['http_auth=("me", "S3cret-Pw99")', 'password'],
  ['sign in as: admin / S3cret-Pw99', 'password'],
  ['log in with admin / S3cret-Pw99', 'password'],
  ['{SHA256}aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=', 'password-hash'],
  ['bearer\tabcdef0123456789', 'authorization'],
  ['Mxh424w8p8KfT5iQ0s7QkXe3.iIJw5W.G79uGkinmcNHTFaaIeizqx8mmwcD', 'api-key'],
  ['hf_a1B2c3D4e5F6g7H8i9J0k1L2m3N4', 'api-key'],
  ['1234567890:AAabcdefghijklmnopqrstuvwxyz0123456', 'api-key'],
])('%j is tried', (text, kind) => {
  expect(findKnownForms(text).map((span) => span.kind)).toContain(kind);
});

test('words inside a mark are none, and what it is called may be a piece', () => {
  expect(findKnownForms('[redacted:password is S3cret-Pw99')).not.toEqual([]);
  expect(findKnownForms('[redacted:password] password S3cret-Pw99').map(({ start }) => start)).toEqual([29]);
});
