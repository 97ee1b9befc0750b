import { open, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HubError } from './hub-error.ts';
import { pushToHub } from './push-to-hub.ts';
import { type PushHubOptions, startPushHub } from './testing/start-push-hub.fixture.ts';

const files = ['data/train-00000-of-00001.parquet', 'data/test-00000-of-00001.parquet', 'README.md'];

async function push({ largeBytes = 0, ...options }: PushHubOptions & { isPublic?: boolean; largeBytes?: number } = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-hub-'));
  await using hub = await startPushHub(options);
  try {
    await mkdir(join(directory, 'data'));
    for (const [at, file] of files.entries()) await writeFile(join(directory, file), `${file} `.repeat(100 + at));
    if (largeBytes > 0) {
      await using file = await open(join(directory, files[0]!), 'r+');
      await file.truncate(largeBytes);
    }
    const readBytes = (): number => process.memoryUsage().arrayBuffers;
    const before = readBytes();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, readBytes() - before)), 5);
    const result = await pushToHub({
      ...{ directory, files, repository: 'me/mine', token: 'hf_secret', isPublic: options.isPublic ?? false },
      ...{ hubUrl: hub.url, wait: () => Promise.resolve() },
    }).catch((error: unknown) => error);
    clearInterval(watch);
    const bytes =
      largeBytes > 0 ? [] : await Promise.all(files.slice(0, 2).map((file) => readFile(join(directory, file))));
    return { result, bytes, calls: hub.calls, stored: hub.stored, received: hub.received(), most };
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** By their content: two files may arrive in any order. */
const sorted = (all: Iterable<Buffer>): string[] => Array.from(all, String).sort();

test('makes a private repository, uploads and commits everything at once', async () => {
  const { result, bytes, calls, stored } = await push();
  expect(result).toMatchObject({ commit: 'abc' });
  expect(JSON.parse(calls[0]!.body)).toMatchObject({
    type: 'dataset',
    name: 'mine',
    organization: 'me',
    visibility: 'private',
  });
  expect(sorted(stored.values())).toEqual(sorted(bytes));
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
  expect(sorted(stored.values())).toEqual(sorted(bytes));
  const complete = calls.find(({ path }) => path.startsWith('/complete/'))!;
  expect((JSON.parse(complete.body) as { parts: unknown[] }).parts[0]).toEqual({ partNumber: 1, etag: '"1"' });
});

test('sends nothing to a repository that is public already, unless told', async () => {
  const refused = await push({ existing: { private: false } });
  expect(refused.result).toSatisfy(HubError.isInstance);
  expect(String(refused.result)).toMatch(/public; nothing was sent/);
  expect(refused.calls.map(({ path }) => path.split('?')[0])).toEqual([
    '/api/repos/create',
    '/api/datasets/me/mine/revision/HEAD',
  ]);
  expect((await push({ existing: { private: false }, isPublic: true })).result).toMatchObject({ commit: 'abc' });
  expect((await push({ existing: { private: true } })).result).toMatchObject({ commit: 'abc' });
});

test('tries again when the hub is busy, and says so when it stays busy', async () => {
  expect((await push({ failures: 2 })).result).toMatchObject({ commit: 'abc' });
  const { result } = await push({ failures: 100 });
  expect(result).toMatchObject({ status: 503 });
  expect(String(result)).not.toContain('hf_secret');
});

test('a file of 256 MB goes on its way without being whole in memory', { timeout: 120_000 }, async () => {
  const largeBytes = 256 * 1024 ** 2;
  const { result, received, most } = await push({ largeBytes, isForgetful: true });
  expect(result).toMatchObject({ commit: 'abc' });
  expect(received).toBeGreaterThanOrEqual(largeBytes);
  // What was sent and is not collected yet counts too; a body that is kept comes to more than the file.
  expect(most).toBeLessThan(0.75 * largeBytes);
});
