import { createHash, randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { BlobCorruptError, BlobMissingError } from '../errors/blob-errors.ts';
import { assertDigest, blobPath, isDigest, isPrefix } from './blob-paths.ts';
import type { BlobEntry, CollectableBlobs } from './blob-store.ts';
import { nodeAsyncFileCalls, nodeFileCalls } from './file-calls.ts';
import type { AsyncFileCalls, FileCalls } from './file-calls.ts';
import { isMissing, toBlobError } from './file-error.ts';
import { call, runSteps, runStepsSync } from './file-steps.ts';
import type { FileSteps } from './file-steps.ts';
import { putSteps } from './put-steps.ts';
import { removeIfOlderSteps, removeLeftoversSteps, removeSteps } from './remove-steps.ts';

/** Blobs as files, with blocking twins for worker threads. */
export interface FileBlobs extends CollectableBlobs {
  readonly directory: string;
  putSync(digest: string, bytes: Uint8Array): void;
  getSync(digest: string): Uint8Array;
}

export interface FileBlobsOptions {
  /** Holds `<first two hex digits>/<digest>`; made on the first put. */
  directory: string;
  /** `prepareBlobDirectory` has made the folders durable: puts need not look. */
  isPrepared?: boolean;
  files?: FileCalls;
  asyncFiles?: AsyncFileCalls;
  /** A suffix that no other writer uses, in lower-case hex. */
  createSuffix?: () => string;
}

export function openFileBlobs(options: FileBlobsOptions): FileBlobs {
  const { files = nodeFileCalls, asyncFiles = nodeAsyncFileCalls, isPrepared = false } = options;
  const { createSuffix = () => randomBytes(8).toString('hex') } = options;
  const directory = resolve(options.directory);
  const durableDirectories = new Set<string>();

  function startPut(digest: string, bytes: Uint8Array): FileSteps<void> {
    assertDigest(digest);
    return putSteps({ directory, digest, bytes, suffix: createSuffix(), durableDirectories, isPrepared });
  }

  async function listDirectory(path: string): Promise<string[]> {
    try {
      return await asyncFiles.listDirectory(path);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async function* list(): AsyncIterable<BlobEntry> {
    for (const prefix of (await listDirectory(directory)).filter((name) => isPrefix(name))) {
      for (const digest of (await listDirectory(resolve(directory, prefix))).filter((name) => isDigest(name))) {
        try {
          yield { digest, ...(await asyncFiles.status(blobPath(directory, digest))) };
        } catch (error) {
          // Removed since the folder was read.
          if (!isMissing(error)) throw error;
        }
      }
    }
  }

  return {
    directory,
    list,
    async put(digest, bytes) {
      try {
        await runSteps(startPut(digest, bytes), asyncFiles);
      } catch (error) {
        throw toBlobError(error, blobPath(directory, digest));
      }
    },
    putSync(digest, bytes) {
      try {
        runStepsSync(startPut(digest, bytes), files);
      } catch (error) {
        throw toBlobError(error, blobPath(directory, digest));
      }
    },
    get: (digest) => runSteps(getSteps(directory, digest), asyncFiles),
    getSync: (digest) => runStepsSync(getSteps(directory, digest), files),
    async remove(digest) {
      assertDigest(digest);
      await runSteps(removeSteps(blobPath(directory, digest)), asyncFiles);
    },
    async removeIfOlder(digest, modifiedBeforeMs) {
      assertDigest(digest);
      return await runSteps(removeIfOlderSteps(directory, digest, modifiedBeforeMs), asyncFiles);
    },
    async removeLeftovers(modifiedBeforeMs) {
      let removed = 0;
      for (const prefix of (await listDirectory(directory)).filter((name) => isPrefix(name))) {
        removed += await runSteps(removeLeftoversSteps(directory, prefix, modifiedBeforeMs), asyncFiles);
      }
      return removed;
    },
  };
}

function* getSteps(directory: string, digest: string): FileSteps<Uint8Array> {
  assertDigest(digest);
  let bytes: Uint8Array;
  try {
    bytes = yield* call('read', blobPath(directory, digest));
  } catch (error) {
    throw isMissing(error) ? new BlobMissingError({ digest, cause: error }) : error;
  }
  const actualDigest = createHash('sha256').update(bytes).digest('hex');
  if (actualDigest !== digest) throw new BlobCorruptError({ digest, actualDigest });
  return bytes;
}
