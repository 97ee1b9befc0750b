import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BlobCorruptError, BlobMissingError } from '../errors/blob-errors.ts';
import { DiskFullError } from '../errors/disk-full-error.ts';
import type { BlobEntry, LibraryBlobs } from './blob-store.ts';
import { CrashError, failNthCall, VolatileFiles } from './fault-files.fixture.ts';
import type { FaultPlan } from './fault-files.fixture.ts';
import { openFileBlobs } from './file-blobs.ts';
import type { FileCalls } from './file-calls.ts';

const bytes = new TextEncoder().encode('a payload of some length');
const digest = createHash('sha256').update(bytes).digest('hex');

describe('blobs on a real disk', () => {
  it('come back as they were put', async () => {
    await using folder = await createFolder();
    const blobs = openFileBlobs({ directory: folder.path });
    await blobs.put(digest, bytes);
    expect(Buffer.from(await blobs.get(digest))).toEqual(Buffer.from(bytes));
    expect(await blobs.has(digest)).toBe(true);
    expect(await readdir(join(folder.path, digest.slice(0, 2)))).toEqual([digest]);
    expect(await listAll(blobs)).toEqual([
      { digest, bytes: bytes.byteLength, modifiedAtMs: expect.any(Number) as number },
    ]);
    await blobs.remove(digest);
    await blobs.remove(digest);
    await expect(blobs.get(digest)).rejects.toSatisfy(BlobMissingError.isInstance);
  });

  it('say how much room there is, and that nothing but payloads is a payload', async () => {
    await using folder = await createFolder();
    const blobs = openFileBlobs({ directory: folder.path });
    const { freeBytes, totalBytes } = await blobs.readFree();
    expect(freeBytes).toBeGreaterThan(0);
    expect(totalBytes).toBeGreaterThanOrEqual(freeBytes);
    await blobs.notes.writeOnce('.note', 'one');
    await blobs.notes.writeOnce('.note', 'two');
    expect(await blobs.notes.read('.note')).toBe('one');
    expect((await blobs.notes.list()).map(({ name }) => name)).toEqual(['.note']);
    expect(await listAll(blobs)).toEqual([]);
    await blobs.notes.remove('.note');
    expect(await blobs.notes.read('.note')).toBeUndefined();
  });

  it('hold nothing, and an empty payload, without fuss', async () => {
    await using folder = await createFolder();
    const blobs = openFileBlobs({ directory: join(folder.path, 'not', 'yet') });
    expect(await listAll(blobs)).toEqual([]);
    const emptyDigest = createHash('sha256').digest('hex');
    await blobs.put(emptyDigest, new Uint8Array());
    expect(await blobs.get(emptyDigest)).toHaveLength(0);
  });

  it('are refused when a byte has changed, and mended by putting them again', async () => {
    await using folder = await createFolder();
    const blobs = openFileBlobs({ directory: folder.path });
    await blobs.put(digest, bytes);
    await writeFile(join(folder.path, digest.slice(0, 2), digest), 'something else');
    await expect(blobs.get(digest)).rejects.toSatisfy(BlobCorruptError.isInstance);
    await expect(blobs.get(digest, { crc32: crc32(bytes) })).rejects.toSatisfy(BlobCorruptError.isInstance);
    await blobs.put(digest, bytes);
    await expect(blobs.get(digest)).resolves.toHaveLength(bytes.byteLength);
    // A checksum that does not fit says nothing against bytes that their digest vouches for.
    await expect(blobs.get(digest, { crc32: crc32(bytes) ^ 1 })).resolves.toHaveLength(bytes.byteLength);
  });

  it.each(['../../etc/passwd', digest.toUpperCase(), `${digest}/..`, '', `${digest}\0`])(
    'are named by digests only, not by %j',
    async (name) => {
      await using folder = await createFolder();
      const blobs = openFileBlobs({ directory: folder.path });
      await expect(blobs.put(name, bytes)).rejects.toThrow(TypeError);
      await expect(blobs.get(name)).rejects.toThrow(TypeError);
      await expect(blobs.remove(name)).rejects.toThrow(TypeError);
      await expect(blobs.has(name)).rejects.toThrow(TypeError);
    },
  );
});

describe('put', () => {
  it('keeps what it acknowledged through a power cut', async () => {
    const disk = new VolatileFiles();
    await openOn(disk.calls).put(digest, bytes);
    disk.cutPower();
    expect(Buffer.from(await openOn(disk.calls).get(digest))).toEqual(Buffer.from(bytes));
  });

  it.each([
    ['a full disk', () => Object.assign(new Error('full'), { code: 'ENOSPC' })],
    ['an input error', () => Object.assign(new Error('bad sector'), { code: 'EIO' })],
    ['a crash', () => new CrashError('killed')],
  ])('survives %s at every single call', async (_fault, createError) => {
    for (const takesEffect of [false, true]) {
      for (let failAt = 1; ; failAt += 1) {
        const disk = new VolatileFiles();
        const outcome = await putWithFault(disk, { failAt, createError, takesEffect });
        if (!outcome.wasReached) {
          expect(failAt).toBeGreaterThan(10);
          break;
        }
        await expectWholeOrAbsent(disk, outcome);
      }
    }
  });
});

interface FaultOutcome {
  wasReached: boolean;
  error: unknown;
}

async function putWithFault(disk: VolatileFiles, plan: FaultPlan): Promise<FaultOutcome> {
  const faulty = failNthCall(disk.calls, plan);
  const error = await openOn(faulty.files)
    .put(digest, bytes)
    .then(
      () => undefined,
      (caught: unknown) => caught,
    );
  return { wasReached: faulty.count() >= plan.failAt, error };
}

/** The promise of a blob: whatever failed, its name leads to all of its bytes or to nothing, and it can be put again. */
async function expectWholeOrAbsent(disk: VolatileFiles, { error }: FaultOutcome): Promise<void> {
  if ((error as { cause?: { code?: string } } | undefined)?.cause?.code === 'ENOSPC') {
    expect(DiskFullError.isInstance(error)).toBe(true);
  }
  if (!(error instanceof CrashError)) {
    // A living process cleans up, unless it was the cleaning that failed.
    expect(disk.paths.filter((path) => path.endsWith('.tmp')).length).toBeLessThanOrEqual(1);
  }
  for (const cutPower of [false, true]) {
    if (cutPower) disk.cutPower();
    const found = await openOn(disk.calls)
      .get(digest)
      .catch((caught: unknown) => caught);
    if (error === undefined) expect(found).toHaveLength(bytes.byteLength);
    else expect(BlobMissingError.isInstance(found) || found instanceof Uint8Array).toBe(true);
  }
  const blobs = openOn(disk.calls);
  await blobs.put(digest, bytes);
  disk.cutPower();
  expect(await blobs.get(digest)).toHaveLength(bytes.byteLength);
}

async function listAll(blobs: LibraryBlobs): Promise<BlobEntry[]> {
  const entries: BlobEntry[] = [];
  for await (const entry of blobs.list()) entries.push(entry);
  return entries;
}

function openOn(files: FileCalls): LibraryBlobs {
  return openFileBlobs({ directory: '/blobs', files });
}

async function createFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'lachesis-blobs-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
