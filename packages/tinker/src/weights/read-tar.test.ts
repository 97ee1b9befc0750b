import fc from 'fast-check';
import { expect, test } from 'vitest';

import { makePax, makeTar } from './make-archive.fixture.ts';
import type { TarEntry } from './make-archive.fixture.ts';
import { checkEntryName, readTar } from './read-tar.ts';
import { WeightsError } from './weights-error.ts';

const limits = { entries: 10, totalBytes: 100_000 };

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

/** Files of an archive by name, or the reason it was refused. */
async function unpack(bytes: Uint8Array, { size = 700, ...over }: { size?: number } & Partial<typeof limits> = {}) {
  const files: Record<string, string> = {};
  try {
    await readTar({
      chunks: inPieces(bytes, size),
      limits: { ...limits, ...over },
      openFile: async ({ name }) => ({
        write: async (piece) => {
          files[name] = (files[name] ?? '') + Buffer.from(piece).toString('latin1');
        },
        end: async () => {
          files[name] ??= '';
        },
      }),
    });
  } catch (error) {
    if (!WeightsError.isInstance(error)) throw error;
    return error.reason;
  }
  return files;
}

test('files come out as they went in, however the bytes are cut', async () => {
  const content = fc.string({ maxLength: 1500, unit: 'binary-ascii' });
  await fc.assert(
    fc.asyncProperty(fc.array(content, { maxLength: 4 }), fc.integer({ min: 1, max: 2000 }), async (contents, size) => {
      const entries = contents.map((data, index) => ({ name: `d/${index}`, data }));
      const expected = Object.fromEntries(entries.map(({ name, data }) => [name, data]));
      expect(await unpack(makeTar([{ name: 'd/', type: '5' }, ...entries]), { size })).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

test('long names of every writer are understood', async () => {
  const long = `${'d'.repeat(120)}/file`;
  const archive = makeTar([
    { name: '././@PaxHeader', type: 'x', data: makePax({ path: long, mtime: '1.5' }) },
    { name: 'cut', data: 'pax' },
    { name: '././@LongLink', type: 'L', data: `${long}2\0` },
    { name: 'cut', data: 'gnu' },
    { name: 'file3', prefix: 'some/folder', data: 'ustar' },
    { name: './plain', data: 'dot' },
    { name: 'pax_global_header', type: 'g', data: makePax({ comment: 'x' }) },
  ]);
  expect(await unpack(archive)).toEqual({
    [long]: 'pax',
    [`${long}2`]: 'gnu',
    'some/folder/file3': 'ustar',
    plain: 'dot',
  });
});

test('a size in an extended header counts', async () => {
  const archive = makeTar([
    { name: 'x', type: 'x', data: makePax({ size: '5' }) },
    { name: 'file', data: 'abcde', size: 0 },
  ]);
  expect(await unpack(archive)).toEqual({ file: 'abcde' });
});

test.each<[string, TarEntry[]]>([
  ['a way out', [{ name: '../file', data: 'x' }]],
  ['a way out in the middle', [{ name: 'a/../../file', data: 'x' }]],
  ['a way out in an extended header', [{ name: 'x', type: 'x', data: makePax({ path: '../file' }) }, { name: 'ok' }]],
  ['an absolute name', [{ name: '/etc/file', data: 'x' }]],
  ['an absolute directory', [{ name: '/etc/', type: '5' }]],
  ['a backslash', [{ name: String.raw`..\file`, data: 'x' }]],
  ['a drive', [{ name: 'c:file', data: 'x' }]],
  ['a line break in a name', [{ name: 'a\nb', data: 'x' }]],
  ['an empty name', [{ name: '', data: 'x' }]],
  ['a symbolic link', [{ name: 'file', type: '2', linkName: '/etc/passwd' }]],
  ['a hard link', [{ name: 'file', type: '1', linkName: '/etc/passwd' }]],
  ['a device', [{ name: 'file', type: '3' }]],
  ['a pipe', [{ name: 'file', type: '6' }]],
  ['a GNU sparse file', [{ name: 'file', type: 'S' }]],
  ['a sparse file', [{ name: 'x', type: 'x', data: makePax({ 'GNU.sparse.major': '1' }) }, { name: 'ok' }]],
  ['one name for all files', [{ name: 'x', type: 'g', data: makePax({ path: 'file' }) }, { name: 'ok' }]],
  ['an extended header of unusual size', [{ name: 'x', type: 'x', data: 'x'.repeat(70_000) }]],
  [
    'the same file twice',
    [
      { name: 'a', data: '1' },
      { name: './a', data: '2' },
    ],
  ],
])('an archive with %s is refused', async (_, entries) => {
  expect(await unpack(makeTar(entries))).toBe('unsafe-archive');
});

test('limits hold for entries and for all bytes', async () => {
  const many = Array.from({ length: 11 }, (_, index) => ({ name: `f${index}` }));
  expect(await unpack(makeTar(many))).toBe('too-large');
  expect(await unpack(makeTar([{ name: 'a', data: 'x'.repeat(5000) }]), { totalBytes: 4000 })).toBe('too-large');
  expect(await unpack(Buffer.concat([makeTar([]), Buffer.alloc(9000)]), { totalBytes: 4000 })).toBe('too-large');
});

test('an archive that is cut off or damaged is refused, wherever that is', async () => {
  const whole = makeTar([
    { name: 'a', data: 'x'.repeat(700) },
    { name: 'b', data: 'y' },
  ]);
  for (let end = 0; end < whole.byteLength - 1024; end += 97) {
    expect(await unpack(whole.subarray(0, end)), `cut at ${end}`).toBe('broken-archive');
  }
  const damaged = Buffer.from(whole);
  damaged[3]! ^= 1;
  expect(await unpack(damaged)).toBe('broken-archive');
  expect(await unpack(makeTar([{ name: 'a', size: 50_000 }]))).toBe('broken-archive');
});

test('any bytes are either an archive or a typed error', async () => {
  const header = makeTar([{ name: 'a', data: 'xyz' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(1023), fc.nat(255)), { maxLength: 5 }), async (changes) => {
      const bytes = Buffer.from(header);
      for (const [at, value] of changes) bytes[at] = value;
      // The checksum is made right again, so that what is behind it is reached.
      bytes.write('        ', 148);
      const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
      bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
      await unpack(bytes);
    }),
    { numRuns: 200 },
  );
});

test('the root directory has no name, whichever way it is written', () => {
  expect(['/', './', '.', ''].map((name) => checkEntryName(name, { isDirectory: true }))).toEqual(['', '', '', '']);
});
