import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BlobMissingError } from '../errors/blob-errors.ts';
import { assertDigest, blobPath, isDigest, isPrefix } from './blob-paths.ts';
import { checkBytes } from './check-bytes.ts';
import type { BlobEntry, LibraryBlobs } from './blob-store.ts';
import { nodeFileCalls, type FileCalls } from './file-calls.ts';
import { isMissing, toBlobError } from './file-error.ts';
import { openFileNotes } from './file-notes.ts';
import { prepareFolders, putBlob } from './put-blob.ts';
import { removeFile, removeIfOlder, removeLeftovers } from './remove-blob.ts';

export interface FileBlobsOptions {
  /** Holds `<first two hex digits>/<digest>`; made on the first put. */
  directory: string;
  /** `prepare` has made the folders durable: puts need not look. */
  isPrepared?: boolean;
  files?: FileCalls;
  /** A suffix that no other writer uses, in lower-case hex. */
  createSuffix?: () => string;
}

/** While one waits for the disk another is computed; more would only wait there. */
const PUTS_AT_ONCE = 2;

/** Blobs as files. */
export function openFileBlobs(options: FileBlobsOptions): LibraryBlobs {
  const { files = nodeFileCalls, isPrepared = false } = options;
  const { createSuffix = () => randomBytes(8).toString('hex') } = options;
  const directory = resolve(options.directory);
  const durableDirectories = new Set<string>();

  async function listDirectory(path: string): Promise<string[]> {
    try {
      return await files.listDirectory(path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async function* list(): AsyncIterable<BlobEntry> {
    for (const prefix of (await listDirectory(directory)).filter((name) => isPrefix(name))) {
      for (const digest of (await listDirectory(join(directory, prefix))).filter((name) => isDigest(name))) {
        try {
          yield { digest, ...(await files.status(blobPath(directory, digest))) };
        } catch (error) {
          // Removed since the folder was read.
          if (!isMissing(error)) throw error;
        }
      }
    }
  }

  return {
    place: directory,
    putsAtOnce: PUTS_AT_ONCE,
    notes: openFileNotes({ directory, files, createSuffix }),
    list,
    async put(digest, bytes) {
      assertDigest(digest);
      const suffix = createSuffix();
      try {
        await putBlob({ files, directory, digest, bytes, suffix, durableDirectories, isPrepared });
      } catch (error) {
        throw toBlobError(error, blobPath(directory, digest));
      }
    },
    async get(digest, written) {
      assertDigest(digest);
      let bytes: Uint8Array;
      try {
        bytes = await files.read(blobPath(directory, digest));
      } catch (error) {
        throw isMissing(error) ? new BlobMissingError({ digest, cause: error }) : error;
      }
      checkBytes(bytes, digest, written);
      return bytes;
    },
    async has(digest) {
      assertDigest(digest);
      try {
        await files.status(blobPath(directory, digest));
        return true;
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },
    async remove(digest) {
      assertDigest(digest);
      await removeFile(files, blobPath(directory, digest));
    },
    async removeIfOlder(digest, modifiedBeforeMs) {
      assertDigest(digest);
      return await removeIfOlder({ files, directory, digest, modifiedBeforeMs });
    },
    async removeLeftovers(modifiedBeforeMs) {
      let removed = 0;
      for (const prefix of (await listDirectory(directory)).filter((name) => isPrefix(name))) {
        removed += await removeLeftovers({ files, directory, prefix, modifiedBeforeMs });
      }
      return removed;
    },
    prepare: () => prepareFolders(files, directory),
    async readFree() {
      const { bavail, bsize, blocks } = await statfs(directory);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
  };
}
