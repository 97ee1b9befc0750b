import { expect, test } from 'vitest';

import { decodeGroup } from './decode-group.ts';
import { encodeGroup } from './encode-group.ts';
import { GOLDEN_GROUPS } from './golden.fixture.ts';
import { toPlainGroup } from './plain-group.fixture.ts';

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

// Stored files hold these bytes. When one of these tests fails the format has changed: old files could not be read.
test.each(GOLDEN_GROUPS)('$name is written as the same bytes for ever', ({ group, hex }) => {
  expect(toHex(encodeGroup(group))).toBe(hex.join(''));
});

test.each(GOLDEN_GROUPS)('$name is read from its stored bytes', ({ group, hex }) => {
  expect(toPlainGroup(decodeGroup(fromHex(hex.join(''))))).toEqual(toPlainGroup(group));
});
