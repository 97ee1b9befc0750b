import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePieces } from './write-pieces.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lachesis-pieces-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('writes text and bytes in their order', async () => {
  const path = join(folder, 'file');
  const long = 'é'.repeat(300_000);
  await writePieces(
    path,
    (async function* () {
      yield 'a';
      yield new Uint8Array([98, 99]);
      yield long;
      yield 'd';
    })(),
  );
  expect(await readFile(path, 'utf8')).toBe(`abc${long}d`);
});

test('leaves nothing behind when the rows fail', async () => {
  const failing = (async function* () {
    yield 'a';
    throw new Error('no more');
  })();
  await expect(writePieces(join(folder, 'file'), failing)).rejects.toThrow('no more');
  expect(await readdir(folder)).toEqual([]);
});
