import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { collectOrphans } from './collect-orphans.ts';
import { CrashError, failNthCall, VolatileFiles } from './fault-files.fixture.ts';
import { openFileBlobs } from './file-blobs.ts';
import type { LibraryBlobs } from './blob-store.ts';
import type { FileCalls } from './file-calls.ts';

const HOUR = 3_600_000;
const encode = (text: string) => new TextEncoder().encode(text);
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('collecting orphans', () => {
  it('removes what is old and unreferenced and leaves the rest', async () => {
    const disk = new VolatileFiles();
    const blobs = openOn(disk.calls);
    for (const text of ['orphan', 'referenced']) await blobs.put(digestOf(text), encode(text));
    disk.nowMs += 2 * HOUR;
    await blobs.put(digestOf('young'), encode('young'));
    const report = await collectOrphans({
      blobs,
      isReferenced: async (digest) => digest === digestOf('referenced'),
      now: () => disk.nowMs,
    });
    expect(report).toEqual({ removedBlobs: 1, removedBytes: 6, removedLeftovers: 0 });
    expect(await listDigests(blobs)).toEqual([digestOf('referenced'), digestOf('young')].sort());
  });

  it('clears temporary files of writers that died, when they are old', async () => {
    const disk = new VolatileFiles();
    const crash = { failAt: 9, createError: () => new CrashError('killed'), takesEffect: true };
    const dying = openOn(failNthCall(disk.calls, crash).files);
    await expect(dying.put(digestOf('a'), encode('a'))).rejects.toThrow(CrashError);
    expect(disk.paths.some((path) => path.endsWith('.tmp'))).toBe(true);
    const collect = () =>
      collectOrphans({ blobs: openOn(disk.calls), isReferenced: async () => false, now: () => disk.nowMs });
    expect(await collect()).toMatchObject({ removedLeftovers: 0 });
    disk.nowMs += 2 * HOUR;
    expect(await collect()).toMatchObject({ removedLeftovers: 1 });
    expect(disk.paths).toEqual([]);
  });

  it('leaves a blob alone that is put again while it is being collected', async () => {
    const disk = new VolatileFiles();
    await openOn(disk.calls).put(digestOf('a'), encode('a'));
    disk.nowMs += 2 * HOUR;
    // Puts the blob at the last moment: after its age was read and before it is moved aside.
    const racing: FileCalls = {
      ...disk.calls,
      rename: async (from, to) => {
        if (to.endsWith('.discarded')) await openOn(disk.calls).put(digestOf('a'), encode('a'));
        await disk.calls.rename(from, to);
      },
    };
    const report = await collectOrphans({
      blobs: openOn(racing),
      isReferenced: async () => false,
      now: () => disk.nowMs,
    });
    expect(report.removedBlobs).toBe(0);
    expect(await openOn(disk.calls).get(digestOf('a'))).toHaveLength(1);
  });

  it('may die at every single call without taking a referenced blob', async () => {
    for (let failAt = 1; ; failAt += 1) {
      const disk = new VolatileFiles();
      await openOn(disk.calls).put(digestOf('kept'), encode('kept'));
      await openOn(disk.calls).put(digestOf('orphan'), encode('orphan'));
      disk.nowMs += 2 * HOUR;
      let references = new Set<string>([digestOf('kept')]);
      const collect = (blobs: LibraryBlobs) =>
        collectOrphans({ blobs, isReferenced: async (digest) => references.has(digest), now: () => disk.nowMs });
      const crash = { failAt, createError: () => new CrashError('killed'), takesEffect: true };
      const faulty = failNthCall(disk.calls, crash);
      await collect(openOn(faulty.files)).catch((error: unknown) => {
        if (!(error instanceof CrashError)) throw error;
      });
      // Somebody sends the orphan's bytes again, and this time the row is committed; the collector runs hours later.
      await openOn(disk.calls).put(digestOf('orphan'), encode('orphan'));
      references = new Set([digestOf('kept'), digestOf('orphan')]);
      disk.nowMs += 2 * HOUR;
      await collect(openOn(disk.calls));
      disk.cutPower();
      expect(await listDigests(openOn(disk.calls))).toEqual([digestOf('kept'), digestOf('orphan')].sort());
      if (faulty.count() < failAt) break;
    }
  });
});

async function listDigests(blobs: LibraryBlobs): Promise<string[]> {
  const digests: string[] = [];
  for await (const { digest } of blobs.list()) digests.push(digest);
  return digests.sort();
}

function openOn(files: FileCalls): LibraryBlobs {
  return openFileBlobs({ directory: '/blobs', files });
}
