import { join } from 'node:path';
import { blobPath, discardedPath, isTemporaryName, prefixDirectory, readDiscardedName } from './blob-paths.ts';
import { isMissing, isTaken } from './file-error.ts';
import { call } from './file-steps.ts';
import type { FileSteps } from './file-steps.ts';
import { syncDirectory } from './put-steps.ts';

/** Removes a file; fine when it is gone. Not synced: a removal that a power cut undoes is done again by the collector. */
export function* removeSteps(path: string): FileSteps<void> {
  try {
    yield* call('remove', path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/**
 * Removes a blob that nobody refers to, unless somebody puts it again at this moment: it is moved aside first and its
 * age is read there, where a new put no longer touches it. Die in between: the next collection puts it back and asks anew.
 */
export function* removeIfOlderSteps(directory: string, digest: string, modifiedBeforeMs: number): FileSteps<boolean> {
  const path = blobPath(directory, digest);
  const aside = discardedPath(directory, digest);
  try {
    if ((yield* call('status', path)).modifiedAtMs >= modifiedBeforeMs) return false;
    yield* call('rename', path, aside);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  if ((yield* call('status', aside)).modifiedAtMs >= modifiedBeforeMs) {
    yield* restoreDiscarded(directory, digest);
    return false;
  }
  yield* removeSteps(aside);
  return true;
}

/** A link instead of a rename: a blob that was put meanwhile is younger and stays, or its grace would be cut short. */
function* restoreDiscarded(directory: string, digest: string): FileSteps<void> {
  const aside = discardedPath(directory, digest);
  try {
    yield* call('link', aside, blobPath(directory, digest));
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  yield* syncDirectory(prefixDirectory(directory, digest));
  yield* removeSteps(aside);
}

/** One folder: removes temporary files of writers that died, puts back blobs whose collector died while it decided. */
export function* removeLeftoversSteps(directory: string, prefix: string, modifiedBeforeMs: number): FileSteps<number> {
  let removed = 0;
  for (const name of yield* call('listDirectory', join(directory, prefix))) {
    const discarded = readDiscardedName(name);
    if (discarded !== undefined) {
      yield* restoreDiscarded(directory, discarded);
    } else if (isTemporaryName(name)) {
      removed += (yield* removeOldFile(join(directory, prefix, name), modifiedBeforeMs)) ? 1 : 0;
    }
  }
  return removed;
}

function* removeOldFile(path: string, modifiedBeforeMs: number): FileSteps<boolean> {
  try {
    if ((yield* call('status', path)).modifiedAtMs >= modifiedBeforeMs) return false;
  } catch (error) {
    // Its writer has finished and renamed it.
    if (isMissing(error)) return false;
    throw error;
  }
  yield* removeSteps(path);
  return true;
}
