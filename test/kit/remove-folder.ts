import { rm } from 'node:fs/promises';

/** Removes a folder with all in it. A process that is just ending may still write its compile cache there: tried again then. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
