import { expect, test } from 'vitest';
import { readAddresses } from './addresses.ts';

test('one that is away makes way for the next, once for all who found out', () => {
  const addresses = readAddresses('http://a:1/run/x/, https://b:2/run/x,http://c');
  expect([addresses.size, addresses.current()]).toEqual([3, 'http://a:1/run/x']);
  addresses.skip('http://a:1/run/x');
  addresses.skip('http://a:1/run/x');
  expect(addresses.current()).toBe('https://b:2/run/x');
  addresses.skip('https://b:2/run/x');
  addresses.skip('http://c');
  expect(addresses.current()).toBe('http://a:1/run/x');
});

test('a comma within an address is a part of it', () => {
  const addresses = readAddresses('http://a/p,q');
  addresses.skip('http://a/p,q');
  expect([addresses.size, addresses.current()]).toEqual([1, 'http://a/p,q']);
});
