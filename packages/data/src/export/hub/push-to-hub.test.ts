import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleConversation } from '../parquet/sample-records.fixture.ts';
import { type FakeHubOptions, startFakeHub } from './fake-hub.fixture.ts';
import { HubError } from './hub-error.ts';
import { pushToHub } from './push-to-hub.ts';
import { writeHubFolder } from './write-hub-folder.ts';

async function push(options: FakeHubOptions & { isPublic?: boolean } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-hub-'));
  await using hub = await startFakeHub(options);
  try {
    const records = [sampleConversation(), sampleConversation({ id: 'other', split: 'test' })];
    const { files } = await writeHubFolder({ directory, name: 'mine', records, license: 'mit' });
    const result = await pushToHub({
      directory,
      files,
      repository: 'me/mine',
      token: 'hf_secret',
      isPublic: options.isPublic ?? false,
      hubUrl: hub.url,
      wait: () => Promise.resolve(),
    }).catch((error: unknown) => error);
    const bytes = await Promise.all(
      files.filter((file) => file.endsWith('.parquet')).map((file) => readFile(join(directory, file))),
    );
    return { result, files, bytes, calls: hub.calls, stored: [...hub.stored.values()] };
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('makes a private repository, uploads and commits everything at once', async () => {
  const { result, files, bytes, calls, stored } = await push();
  expect(result).toMatchObject({ commit: 'abc' });
  expect(JSON.parse(calls[0]!.body)).toEqual({
    type: 'dataset',
    name: 'mine',
    organization: 'me',
    visibility: 'private',
  });
  expect(stored).toEqual(bytes);
  const commit = calls.find(({ path }) => path === '/api/datasets/me/mine/commit/main')!;
  const lines = commit.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { key: string; value: { path?: string } });
  expect(lines.map(({ key, value }) => [key, value.path])).toEqual([
    ['header', undefined],
    ['lfsFile', 'data/train-00000-of-00001.parquet'],
    ['lfsFile', 'data/test-00000-of-00001.parquet'],
    ['file', 'README.md'],
  ]);
  expect(files).toHaveLength(3);
});

test('the token goes to the hub and not to its storage', async () => {
  const { calls } = await push();
  const tokens = (isStorage: boolean) =>
    new Set(calls.filter(({ path }) => path.startsWith('storage') === isStorage).map(({ token }) => token));
  expect(tokens(false)).toEqual(new Set(['Bearer hf_secret']));
  expect(tokens(true)).toEqual(new Set([undefined]));
});

test('large files go in parts', async () => {
  const { result, bytes, stored, calls } = await push({ chunkBytes: 1_000 });
  expect(result).toMatchObject({ commit: 'abc' });
  expect(stored).toEqual(bytes);
  const complete = calls.find(({ path }) => path.startsWith('/complete/'))!;
  expect((JSON.parse(complete.body) as { parts: unknown[] }).parts[0]).toEqual({ partNumber: 1, etag: '"1"' });
});

test('sends nothing to a repository that is public already, unless told', async () => {
  const refused = await push({ existing: { private: false } });
  expect(refused.result).toSatisfy(HubError.isInstance);
  expect(String(refused.result)).toMatch(/public; nothing was sent/);
  expect(refused.calls.map(({ path }) => path)).toEqual(['/api/repos/create', '/api/datasets/me/mine']);
  expect((await push({ existing: { private: false }, isPublic: true })).result).toMatchObject({ commit: 'abc' });
  expect((await push({ existing: { private: true } })).result).toMatchObject({ commit: 'abc' });
});

test('tries again when the hub is busy, and says so when it stays busy', async () => {
  expect((await push({ failures: 2 })).result).toMatchObject({ commit: 'abc' });
  const { result } = await push({ failures: 100 });
  expect(result).toMatchObject({ status: 503 });
  expect(String(result)).not.toContain('hf_secret');
});
