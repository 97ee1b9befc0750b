import { open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { isCode } from '../files/is-code.ts';
import { WeightsError } from './weights-error.ts';

/** Refuses a destination that is there. */
export async function checkDestination(destination: string): Promise<void> {
  try {
    await stat(destination);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  throw alreadyThere(destination);
}

/** Gives a finished folder its name. Readers see all of it or nothing. */
export async function putInPlace({
  folder,
  destination,
  overwrite,
}: {
  folder: string;
  destination: string;
  overwrite: boolean;
}): Promise<void> {
  await syncFolder(folder);
  const replaced = replacedName(destination);
  if (overwrite) {
    // A folder cannot replace another in one step. If we die here, the destination is missing and the old one waits
    // under its other name: a reader finds nothing, never a mixture, and the next download puts it back first.
    await rename(destination, replaced).catch(unlessMissing);
  } else await checkDestination(destination);
  try {
    await rename(folder, destination);
  } catch (error) {
    if (overwrite) await rename(replaced, destination).catch(unlessMissing);
    // Somebody made it since we looked.
    if (isCode(error, 'ENOTEMPTY') || isCode(error, 'EEXIST') || isCode(error, 'ENOTDIR')) {
      throw alreadyThere(destination);
    }
    throw error;
  }
  await syncFolder(path.dirname(destination));
  await rm(replaced, { recursive: true, force: true });
}

/** Undoes or finishes a replacement that a process died in. */
export async function recoverReplaced(destination: string): Promise<void> {
  const replaced = replacedName(destination);
  try {
    await checkDestination(destination);
  } catch (error) {
    if (!WeightsError.isInstance(error)) throw error;
    await rm(replaced, { recursive: true, force: true });
    return;
  }
  await rename(replaced, destination).catch(unlessMissing);
}

const replacedName = (destination: string): string => `${destination}.replaced`;

function unlessMissing(error: unknown): void {
  if (!isCode(error, 'ENOENT')) throw error;
}

/** Makes the names in a folder last through a power cut. Windows cannot, and needs no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

const alreadyThere = (destination: string): WeightsError =>
  new WeightsError({
    reason: 'exists',
    message: `${destination} is there already. Remove it, name another folder, or ask for overwrite.`,
  });
