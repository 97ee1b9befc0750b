import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDigest } from './blob-paths.ts';
import { checkBytes } from './check-bytes.ts';
import type { LibraryBlobs } from './blob-store.ts';

export interface CacheBlobsOptions {
  blobs: LibraryBlobs;
  /** May be removed at any time, and be shared by threads and processes. */
  directory: string;
  maxBytes?: number;
}

/** A few batches of the largest groups. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Between two looks at how full it is, a process adds at most this part of it. */
const PART_BETWEEN_LOOKS = 1 / 8;
/** What is left after making room. */
const PART_LEFT = 3 / 4;

/**
 * Keeps what was read on a disk of this machine, so that a batch that is handed out again is not fetched again. What is there
 * is checked as if it had come from afar; a cache that cannot be written is none.
 */
export function cacheBlobs({ blobs, directory, maxBytes = MAX_BYTES }: CacheBlobsOptions): LibraryBlobs {
  let addedBytes = Number.POSITIVE_INFINITY;
  let making: Promise<void> | undefined;

  async function find(digest: string, written?: { crc32: number }): Promise<Uint8Array | undefined> {
    const path = join(directory, digest);
    try {
      const bytes = await readFile(path);
      checkBytes(bytes, digest, written);
      const now = new Date();
      await utimes(path, now, now);
      return bytes;
    } catch {
      // Not there, damaged, or unreadable: all the same, the payload comes from its place, which says what is wrong.
      return undefined;
    }
  }

  async function add(digest: string, bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength > maxBytes * PART_BETWEEN_LOOKS) return;
    const temporary = join(directory, `.${digest}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      addedBytes += bytes.byteLength;
      if (addedBytes > maxBytes * PART_BETWEEN_LOOKS) {
        making ??= makeRoom().finally(() => (making = undefined));
        await making;
      }
      await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
      await rename(temporary, join(directory, digest));
    } catch {
      // Somebody removed the folder, or the disk is full; who asked has the bytes.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  /** Removes those that were not read for longest. Leftovers of writers that died are files like the others. */
  async function makeRoom(): Promise<void> {
    addedBytes = 0;
    const files: { path: string; bytes: number; readAtMs: number }[] = [];
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      // Removed by another since the folder was read.
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) files.push({ path, bytes: found.size, readAtMs: found.mtimeMs });
    }
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes <= maxBytes * (1 - PART_BETWEEN_LOOKS)) return;
    for (const file of files.toSorted((left, right) => left.readAtMs - right.readAtMs)) {
      if (bytes <= maxBytes * PART_LEFT) return;
      await rm(file.path, { force: true });
      bytes -= file.bytes;
    }
  }

  const forget = (digest: string): Promise<void> => rm(join(directory, digest), { force: true });

  return {
    ...blobs,
    async get(digest, written) {
      const found = isDigest(digest) ? await find(digest, written) : undefined;
      if (found !== undefined) return found;
      const bytes = await blobs.get(digest, written);
      await add(digest, bytes);
      return bytes;
    },
    async remove(digest) {
      await blobs.remove(digest);
      await forget(digest);
    },
    async removeIfOlder(digest, modifiedBeforeMs) {
      const isRemoved = await blobs.removeIfOlder(digest, modifiedBeforeMs);
      if (isRemoved) await forget(digest);
      return isRemoved;
    },
  };
}
