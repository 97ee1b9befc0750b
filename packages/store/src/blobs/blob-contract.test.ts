import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { BLOB_PROMISES, type BlobPlace } from './blob-contract.fixture.ts';
import { openMemoryS3 } from './s3/memory-s3.fixture.ts';
import { openS3Blobs } from './s3/s3-blobs.ts';
import { readS3Place } from './s3/s3-place.ts';
import { openFileBlobs } from './file-blobs.ts';

async function openFolder(): Promise<BlobPlace & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'lachesis-blobs-'));
  return {
    blobs: openFileBlobs({ directory }),
    async damage(digest) {
      const path = join(directory, digest.slice(0, 2), digest);
      const bytes = await readFile(path);
      bytes[0]! ^= 1;
      await writeFile(path, bytes);
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** A bucket in memory; `pnpm conformance blobs` holds a real server to the same. */
function openBucket(prefix: string): BlobPlace {
  const server = openMemoryS3();
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_ENDPOINT_URL: 'http://s3.test' };
  const place = readS3Place(`s3://bucket${prefix}`, env);
  return {
    blobs: openS3Blobs({ place, fetch: server.fetch, partBytes: 5 * 1024 * 1024, deadlineMs: 1_000 }),
    damage: async (digest) => server.damage(`${place.prefix}${digest}`),
  };
}

describe('blobs in files', () => {
  it.each(BLOB_PROMISES)('$name', async ({ check }) => {
    await using folder = await openFolder();
    await check(folder);
  });
});

describe.each(['', '/deep/prefix'])('blobs in a bucket%s', (prefix) => {
  it.each(BLOB_PROMISES)('$name', async ({ check }) => {
    await check(openBucket(prefix));
  });
});
