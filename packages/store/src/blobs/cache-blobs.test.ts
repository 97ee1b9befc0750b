import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf } from './blob-contract.fixture.ts';
import { cacheBlobs } from './cache-blobs.ts';
import { openFileBlobs } from './file-blobs.ts';

async function openWorld(maxBytes?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'lachesis-cache-'));
  const far = openFileBlobs({ directory: join(folder, 'far') });
  const asked: string[] = [];
  const blobs = cacheBlobs({
    blobs: { ...far, get: async (digest, written) => (asked.push(digest), await far.get(digest, written)) },
    directory: join(folder, 'cache'),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const put = async (text: string): Promise<string> => {
    const bytes = Buffer.from(text);
    await blobs.put(digestOf(bytes), bytes);
    return digestOf(bytes);
  };
  const cache = join(folder, 'cache');
  return { blobs, put, asked, cache, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

it('fetches once, and again when what it kept is damaged or removed', async () => {
  await using world = await openWorld();
  const digest = await world.put('one');
  for (let read = 0; read < 3; read += 1) expect(Buffer.from(await world.blobs.get(digest)).toString()).toBe('one');
  expect(world.asked).toHaveLength(1);
  await writeFile(join(world.cache, digest), 'two');
  expect(Buffer.from(await world.blobs.get(digest)).toString()).toBe('one');
  await rm(world.cache, { recursive: true });
  expect(Buffer.from(await world.blobs.get(digest)).toString()).toBe('one');
  expect(world.asked).toHaveLength(3);
});

it('forgets what is removed', async () => {
  await using world = await openWorld();
  const digest = await world.put('one');
  await world.blobs.get(digest);
  await world.blobs.remove(digest);
  await expect(world.blobs.get(digest)).rejects.toMatchObject({ name: 'BlobMissingError' });
});

it('stays within its size', async () => {
  await using world = await openWorld(8_000);
  for (let index = 0; index < 40; index += 1) await world.blobs.get(await world.put(String(index).padEnd(900)));
  expect((await readdir(world.cache)).length * 900).toBeLessThanOrEqual(9_000);
  // Too large to be worth keeping.
  const large = await world.put('x'.repeat(2_000));
  await world.blobs.get(large);
  expect(await readdir(world.cache)).not.toContain(large);
});
