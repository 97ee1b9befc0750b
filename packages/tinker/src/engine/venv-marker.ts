import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const MARKER = 'lachesis-complete';

/** Names a venv by what is in it. */
export function hashLock(lock: string): string {
  return createHash('sha256').update(lock).digest('hex').slice(0, 16);
}

/** The last thing an installation writes; a venv without it is unfinished and is gone on with. */
export async function markVenv(directory: string, key: string): Promise<void> {
  await writeFile(join(directory, MARKER), `${key}\n`);
}

/** Finished, for this lock, and its interpreter is still on this machine. */
export async function isVenvReady(directory: string, key: string): Promise<boolean> {
  if (!existsSync(join(directory, 'bin/python'))) return false;
  const marker = await readFile(join(directory, MARKER), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return marker.trim() === key;
}

/** The lines of one package in a lock file with hashes. */
export function pickFromLock(lock: string, name: string): string {
  const blocks = lock.split(/\n(?=\S)/);
  const block = blocks.find((text) => text.startsWith(`${name}==`));
  if (block === undefined) throw new Error(`the lock does not hold ${name}`);
  return `${block.trimEnd()}\n`;
}
