import { copyFile, open, rename, truncate } from 'node:fs/promises';
import { sizeOfFile } from '../size-of-file.ts';

/** A log that starts again larger than this begins anew; the one before stays beside it as `.1`. */
const ROTATE_AT_START_BYTES = 16 * 1024 ** 2;
/** A log in use is cut at this size. What is written while it is copied may be missing from the copy. */
const ROTATE_IN_USE_BYTES = 128 * 1024 ** 2;
const TAIL_BYTES = 64 * 1024;

/** The last lines of a log; empty when there is none. */
export async function readLogTail(path: string, lines: number): Promise<string[]> {
  const size = await sizeOfFile(path);
  if (size === 0) return [];
  const file = await open(path, 'r');
  try {
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-lines);
  } finally {
    await file.close();
  }
}

/** Before a process starts: nobody writes to the file. */
export async function rotateBeforeStart(path: string): Promise<void> {
  if ((await sizeOfFile(path)) > ROTATE_AT_START_BYTES) await rename(path, `${path}.1`);
}

/** While a process writes. It appends, so it goes on at the beginning of the emptied file. */
export async function rotateInUse(path: string): Promise<void> {
  if ((await sizeOfFile(path)) <= ROTATE_IN_USE_BYTES) return;
  await copyFile(path, `${path}.1`);
  await truncate(path, 0);
}
