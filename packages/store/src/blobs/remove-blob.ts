import { join } from 'node:path';
import { blobPath, discardedPath, isTemporaryName, prefixDirectory, readDiscardedName } from './blob-paths.ts';
import { isMissing, isTaken } from './file-error.ts';
import type { FileCalls } from './file-calls.ts';
import { syncDirectory } from './put-blob.ts';

interface FolderOptions {
  files: FileCalls;
  directory: string;
  modifiedBeforeMs: number;
}

/** Removes a file; fine when it is gone. Not synced: a removal that a power cut undoes is done again by the collector. */
export async function removeFile(files: FileCalls, path: string): Promise<void> {
  try {
    await files.remove(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/**
 * Removes a blob that nobody refers to, unless somebody puts it again at this moment: it is moved aside first and its
 * age is read there, where a new put no longer touches it. Die in between: the next collection puts it back and asks anew.
 */
export async function removeIfOlder(options: FolderOptions & { digest: string }): Promise<boolean> {
  const { files, directory, digest, modifiedBeforeMs } = options;
  const path = blobPath(directory, digest);
  const aside = discardedPath(directory, digest);
  try {
    if ((await files.status(path)).modifiedAtMs >= modifiedBeforeMs) return false;
    await files.rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  if ((await files.status(aside)).modifiedAtMs >= modifiedBeforeMs) {
    await restoreDiscarded(files, directory, digest);
    return false;
  }
  await removeFile(files, aside);
  return true;
}

/** A link instead of a rename: a blob that was put meanwhile is younger and stays, or its grace would be cut short. */
async function restoreDiscarded(files: FileCalls, directory: string, digest: string): Promise<void> {
  const aside = discardedPath(directory, digest);
  try {
    await files.link(aside, blobPath(directory, digest));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  await syncDirectory(files, prefixDirectory(directory, digest));
  await removeFile(files, aside);
}

/** One folder: removes temporary files of writers that died, puts back blobs whose collector died while it decided. */
export async function removeLeftovers(options: FolderOptions & { prefix: string }): Promise<number> {
  const { files, directory, prefix, modifiedBeforeMs } = options;
  let removed = 0;
  for (const name of await files.listDirectory(join(directory, prefix))) {
    const discarded = readDiscardedName(name);
    if (discarded !== undefined) {
      await restoreDiscarded(files, directory, discarded);
    } else if (isTemporaryName(name)) {
      removed += (await removeOldFile(files, join(directory, prefix, name), modifiedBeforeMs)) ? 1 : 0;
    }
  }
  return removed;
}

async function removeOldFile(files: FileCalls, path: string, modifiedBeforeMs: number): Promise<boolean> {
  try {
    if ((await files.status(path)).modifiedAtMs >= modifiedBeforeMs) return false;
  } catch (error) {
    // Its writer has finished and renamed it.
    if (isMissing(error)) return false;
    throw error;
  }
  await removeFile(files, path);
  return true;
}
