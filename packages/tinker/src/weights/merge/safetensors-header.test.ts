import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { makeSafetensors, matrix } from '../make-archive.fixture.ts';
import { parseSafetensorsHeader, readSafetensorsHeader } from './safetensors-header.ts';
import { makeTemporaryFolder } from '../test-server.fixture.ts';
import { WeightsError } from '../weights-error.ts';

const parse = (header: unknown, fileBytes: number) => {
  const bytes = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  return parseSafetensorsHeader({ header: bytes, fileBytes: fileBytes + bytes.byteLength + 8 });
};

test('a file is read with the place of each tensor', async () => {
  await using folder = await makeTemporaryFolder();
  const file = makeSafetensors({
    a: matrix(2, 3),
    empty: { dtype: 'BF16', shape: [0, 4], data: new Uint8Array(0) },
    b: matrix(1, 1, 7),
  });
  await writeFile(folder.at('x'), file);
  const { tensors, metadata, dataOffset } = await readSafetensorsHeader(folder.at('x'));
  expect(metadata).toEqual({ format: 'pt' });
  expect([...tensors.keys()]).toEqual(['a', 'empty', 'b']);
  const { byteOffset, byteLength } = tensors.get('b')!;
  expect([byteOffset, byteLength]).toEqual([dataOffset + 24, 4]);
  expect(file.readFloatLE(byteOffset)).toBe(7);
});

test.each<[string, unknown, number, RegExp]>([
  ['no JSON', '{', 0, /not JSON/],
  ['no object', '[]', 0, /not an object/],
  ['metadata that is not text', { __metadata__: { a: 1 } }, 0, /metadata/],
  ['an unknown type', { a: { dtype: 'F7', shape: [1], data_offsets: [0, 1] } }, 1, /unknown type/],
  ['a type from the prototype', { a: { dtype: 'toString', shape: [1], data_offsets: [0, 1] } }, 1, /unknown type/],
  ['a negative size', { a: { dtype: 'U8', shape: [-1], data_offsets: [0, 1] } }, 1, /shape or place/],
  ['a wrong length', { a: { dtype: 'F32', shape: [2], data_offsets: [0, 4] } }, 4, /does not fit its 4 bytes/],
  ['an end before its begin', { a: { dtype: 'U8', shape: [1], data_offsets: [2, 1] } }, 2, /does not fit/],
  [
    'a size that overflows',
    { a: { dtype: 'U8', shape: [2 ** 52, 2 ** 52, 0.5], data_offsets: [0, 4] } },
    4,
    /shape or place/,
  ],
  [
    'a product that overflows',
    { a: { dtype: 'U8', shape: [2 ** 40, 2 ** 40], data_offsets: [0, 4] } },
    4,
    /does not fit/,
  ],
  ['a hole', { a: { dtype: 'U8', shape: [1], data_offsets: [1, 2] } }, 2, /overlap or leave a hole/],
  [
    'an overlap',
    { a: { dtype: 'U8', shape: [2], data_offsets: [0, 2] }, b: { dtype: 'U8', shape: [2], data_offsets: [1, 3] } },
    3,
    /overlap/,
  ],
  ['bytes after the last tensor', { a: { dtype: 'U8', shape: [1], data_offsets: [0, 1] } }, 2, /2 bytes of tensors/],
  ['a tensor past the end', { a: { dtype: 'U8', shape: [9], data_offsets: [0, 9] } }, 4, /4 bytes of tensors/],
])('a header with %s is refused', (_, header, fileBytes, message) => {
  expect(() => parse(header, fileBytes)).toThrow(message);
});

test('a header longer than its file or than the format allows is not read', async () => {
  await using folder = await makeTemporaryFolder();
  for (const length of [100n, 100_000_001n, 2n ** 63n, 0n]) {
    const file = Buffer.alloc(50);
    file.writeBigUInt64LE(length);
    await writeFile(folder.at('x'), file);
    await expect(readSafetensorsHeader(folder.at('x'))).rejects.toThrow(/says its header has/);
  }
  await writeFile(folder.at('x'), 'abc');
  await expect(readSafetensorsHeader(folder.at('x'))).rejects.toThrow(/ends after 3 bytes/);
});

test('any bytes are either a header or a typed error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), fc.nat(100), (header, extra) => {
      try {
        parseSafetensorsHeader({ header, fileBytes: header.byteLength + 8 + extra });
      } catch (error) {
        expect(WeightsError.isInstance(error)).toBe(true);
      }
    }),
  );
});
