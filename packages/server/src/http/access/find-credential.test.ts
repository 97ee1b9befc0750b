import { expect, test } from 'vitest';
import { findCredential } from './find-credential.ts';

const own = `lch_${'1'.repeat(8)}`;
const bearer = (text: string): string => `Bearer ${text}`;

test.each([
  ['nothing', {}, undefined, null],
  ['a token', { authorization: bearer(own) }, undefined, own],
  ['our header before a token', { authorization: bearer(own), 'x-lachesis-token': 'lch_2' }, undefined, 'lch_2'],
  ['our header beside a provider', { authorization: bearer('sk-1'), 'x-lachesis-token': own }, undefined, own],
  ['a key in the path beside a provider', { authorization: bearer('sk-1') }, 'lch_3', 'lch_3'],
  ['a token before a key in the path', { authorization: bearer(own) }, 'lch_3', own],
  ['a provider alone', { authorization: bearer('sk-1') }, undefined, null],
  ['an empty header of ours', { 'x-lachesis-token': ' ' }, undefined, null],
])('%s, where a provider may be meant', (_, headers, pathKey, text) => {
  expect(findCredential({ headers, pathKey, hasProvider: true }).text).toBe(text);
});

test('where no provider is behind, any Authorization is for us', () => {
  const headers = { authorization: bearer('sk-1') };
  expect(findCredential({ headers, pathKey: 'lch_3', hasProvider: false })).toEqual({
    text: 'sk-1',
    isFromPath: false,
  });
});

test('a key of the path is known as one', () => {
  expect(findCredential({ headers: {}, pathKey: 'k', hasProvider: true })).toEqual({ text: 'k', isFromPath: true });
});
