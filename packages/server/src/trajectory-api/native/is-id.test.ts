import { createIdSource } from '@lachesis/protocol';
import { expect, it } from 'vitest';
import { isId } from './is-id.ts';

it('takes the ids that we make', () => {
  expect(isId(createIdSource().next())).toBe(true);
});

it.each([
  undefined,
  '',
  'x',
  'a\0b',
  '0192aaaa-0000-7000-8000-00000000000',
  '0192aaaa00007000800000000000000000',
  ['0192aaaa-0000-7000-8000-000000000000'],
])('takes %j for no id', (text) => {
  expect(isId(text)).toBe(false);
});
