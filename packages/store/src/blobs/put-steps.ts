import { dirname } from 'node:path';
import { blobPath, prefixDirectory, temporaryPath } from './blob-paths.ts';
import { call } from './file-steps.ts';
import type { FileSteps } from './file-steps.ts';

export interface PutOptions {
  directory: string;
  digest: string;
  bytes: Uint8Array;
  /** Makes the temporary name unique among all threads and processes. */
  suffix: string;
  /** Folders that this process has made durable already; added to. */
  durableDirectories: Set<string>;
  /** All folders are there and durable. */
  isPrepared: boolean;
}

/**
 * Writes a blob so that its name appears only with all of its bytes.
 * Die after the write or the sync: a temporary file is left, which the collector clears.
 * Die after the rename: the blob may or may not be there after a power cut; its caller was not answered.
 * Die after the folder's sync: the blob is there; without a row that refers to it the collector removes it later.
 * An existing blob is replaced by the same bytes, which mends a damaged one and restarts the collector's grace.
 */
export function* putSteps(options: PutOptions): FileSteps<void> {
  const { directory, digest, bytes, suffix } = options;
  if (!options.isPrepared) yield* makeDurableDirectory(options);
  const temporary = temporaryPath(directory, digest, suffix);
  try {
    yield* writeDurably(temporary, bytes);
    yield* call('rename', temporary, blobPath(directory, digest));
  } catch (error) {
    yield* removeQuietly(temporary);
    throw error;
  }
  yield* syncDirectory(prefixDirectory(directory, digest));
}

/** Makes every folder a put can need and syncs them once, instead of one at a time while somebody waits. */
export function* prepareSteps(directory: string): FileSteps<void> {
  for (let prefix = 0; prefix < 256; prefix += 1) {
    yield* call('makeDirectory', prefixDirectory(directory, prefix.toString(16).padStart(2, '0')));
  }
  yield* syncDirectory(directory);
  yield* syncDirectory(dirname(directory));
}

/** The folder of the prefix and its entry in the root; also when it exists, for its maker may have died before the sync. */
function* makeDurableDirectory({ directory, digest, durableDirectories }: PutOptions): FileSteps<void> {
  const prefix = prefixDirectory(directory, digest);
  if (durableDirectories.has(prefix)) return;
  yield* call('makeDirectory', prefix);
  yield* syncDirectory(directory);
  yield* syncDirectory(dirname(directory));
  durableDirectories.add(prefix);
}

export function* writeDurably(path: string, bytes: Uint8Array): FileSteps<void> {
  const descriptor = yield* call('openNew', path);
  try {
    let offset = 0;
    while (offset < bytes.byteLength) offset += yield* call('write', descriptor, bytes, offset);
    yield* call('sync', descriptor);
  } finally {
    yield* call('close', descriptor);
  }
}

export function* syncDirectory(path: string): FileSteps<void> {
  const descriptor = yield* call('openDirectory', path);
  try {
    yield* call('sync', descriptor);
  } finally {
    yield* call('close', descriptor);
  }
}

function* removeQuietly(path: string): FileSteps<void> {
  try {
    yield* call('remove', path);
  } catch {
    // The put has failed already and says why; the collector clears what is left.
  }
}
