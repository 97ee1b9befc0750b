import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { EngineError } from './engine-error.ts';

/** Fills a folder beside its place and moves it there when it is whole: what dies half-way leaves nothing under the name. */
export async function makeFolder(directory: string, fill: (staged: string) => Promise<void>): Promise<void> {
  const target = resolve(directory);
  await refuseFull(target);
  const staged = `${target}.${randomUUID()}`;
  await mkdir(dirname(target), { recursive: true });
  try {
    await mkdir(staged);
    await fill(staged);
    // rename replaces an empty folder and refuses a full one, so what came in between is not lost.
    await rename(staged, target);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

async function refuseFull(directory: string): Promise<void> {
  if (!existsSync(directory) || (await readdir(directory)).length === 0) return;
  throw new EngineError({
    reason: 'folder-not-empty',
    message: `${directory} is not empty.`,
    hint: 'Name a folder that does not exist yet.',
  });
}
