import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { listEnginePaths, shippedFiles } from './engine-paths.ts';
import { hashLock, isVenvReady } from './venv-marker.ts';

/** The folder of the engine's venv when it is made; undefined when `prepareEngine` would have to install. */
export async function findPreparedEngine({ home }: { home: string }): Promise<string | undefined> {
  const key = hashLock(await readFile(shippedFiles.requirementsLock, 'utf8'));
  const directory = join(listEnginePaths(home).directory, `venv-${key}`);
  return (await isVenvReady(directory, key)) ? directory : undefined;
}
