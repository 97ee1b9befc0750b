import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readParquet } from '../../import/parquet/read-parquet.ts';
import { sampleConversation } from '../parquet/sample-records.fixture.ts';
import { writeHubFolder } from './write-hub-folder.ts';

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-hub-'));
  folders.push(folder);
  return folder;
};
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

test('writes files by split, all with the same columns, and a card that names them', async () => {
  const directory = await makeFolder();
  const call = { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] };
  const records = [
    sampleConversation({ id: 'a', split: 'test' }),
    sampleConversation({ id: 'b' }),
    sampleConversation({ id: 'c', messages: [{ role: 'user', content: 'Hi' }, call] }),
    sampleConversation({ id: 'd' }),
  ];
  const { files, splits } = await writeHubFolder({
    directory,
    name: 'mine',
    records,
    rowsPerFile: 2,
    contentDigest: 'abc',
  });
  expect(splits).toEqual({ train: 3, test: 1 });
  expect(files).toEqual([
    'data/train-00000-of-00002.parquet',
    'data/train-00001-of-00002.parquet',
    'data/test-00000-of-00001.parquet',
    'README.md',
  ]);
  const card = await readFile(join(directory, 'README.md'), 'utf8');
  expect(card).toContain(
    '  - split: train\n    path: data/train-*.parquet\n  - split: test\n    path: data/test-*.parquet',
  );
  expect(card).not.toContain('license');
  expect(card).toContain('Content digest: `abc`');
  const bytes = new Uint8Array(await readFile(join(directory, files[2]!)));
  expect(await Array.fromAsync(readParquet(bytes.buffer))).toEqual([{ record: records[0], repairs: [] }]);
  expect((await readdir(join(directory, 'data'))).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
});

test('does not write beside files of another export', async () => {
  const directory = await makeFolder();
  await writeHubFolder({ directory, name: 'mine', records: [sampleConversation()] });
  await expect(writeHubFolder({ directory, name: 'mine', records: [sampleConversation()] })).rejects.toThrow(
    /is not empty/,
  );
});

test('refuses a split that could not be the name of a file', async () => {
  const records = [sampleConversation({ split: '../up' })];
  await expect(writeHubFolder({ directory: await makeFolder(), name: 'mine', records })).rejects.toThrow(/"..\/up"/);
});
