import { dirname } from 'node:path';
import { blobPath, prefixDirectory, temporaryPath } from './blob-paths.ts';
import type { FileCalls } from './file-calls.ts';

export interface PutOptions {
  files: FileCalls;
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
export async function putBlob(options: PutOptions): Promise<void> {
  const { files, directory, digest, bytes, suffix } = options;
  if (!options.isPrepared) await makeDurableDirectory(options);
  const temporary = temporaryPath(directory, digest, suffix);
  try {
    await writeDurably(files, temporary, bytes);
    await files.rename(temporary, blobPath(directory, digest));
  } catch (error) {
    await removeQuietly(files, temporary);
    throw error;
  }
  await syncDirectory(files, prefixDirectory(directory, digest));
}

/**
 * Makes every folder a put can need and syncs them once, instead of one at a time while somebody waits. Takes some ten
 * milliseconds; safe to do again and by several processes at once.
 */
export async function prepareFolders(files: FileCalls, directory: string): Promise<void> {
  for (let prefix = 0; prefix < 256; prefix += 1) {
    await files.makeDirectory(prefixDirectory(directory, prefix.toString(16).padStart(2, '0')));
  }
  await syncDirectory(files, directory);
  await syncDirectory(files, dirname(directory));
}

/** The folder of the prefix and its entry in the root; also when it exists, for its maker may have died before the sync. */
async function makeDurableDirectory({ files, directory, digest, durableDirectories }: PutOptions): Promise<void> {
  const prefix = prefixDirectory(directory, digest);
  if (durableDirectories.has(prefix)) return;
  await files.makeDirectory(prefix);
  await syncDirectory(files, directory);
  await syncDirectory(files, dirname(directory));
  durableDirectories.add(prefix);
}

export async function writeDurably(files: FileCalls, path: string, bytes: Uint8Array): Promise<void> {
  const descriptor = await files.openNew(path);
  try {
    let offset = 0;
    while (offset < bytes.byteLength) offset += await files.write(descriptor, bytes, offset);
    await files.sync(descriptor);
  } finally {
    await files.close(descriptor);
  }
}

export async function syncDirectory(files: FileCalls, path: string): Promise<void> {
  const descriptor = await files.openDirectory(path);
  try {
    await files.sync(descriptor);
  } finally {
    await files.close(descriptor);
  }
}

async function removeQuietly(files: FileCalls, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch {
    // The put has failed already and says why; the collector clears what is left.
  }
}
