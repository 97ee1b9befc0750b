import { describe, expect, it } from 'vitest';
import { readCredential } from './read-credential.ts';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the credential in an Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['  Bearer abc', 'abc'],
    [basic('user:abc'), 'abc'],
    [basic(':abc'), 'abc'],
    [basic('user:a:b:c'), 'a:b:c'],
    [basic('user:pä'), 'pä'],
    [basic('user:abc').replace('Basic', 'basic'), 'abc'],
  ])('%j is %j', (header, token) => {
    expect(readCredential(header)).toBe(token);
  });

  it.each([
    undefined,
    '',
    ' ',
    'abc',
    'Bearer',
    'Bearer ',
    'Basic',
    'Basic ',
    'Basic !!!!',
    basic('no colon'),
    basic('user:'),
    'Digest username="x"',
    'Token abc',
    'BearerX abc',
  ])('%j holds none', (header) => {
    expect(readCredential(header)).toBeNull();
  });
});
