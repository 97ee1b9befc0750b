import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A lock this process holds until it lets go or dies. */
export interface HeldLock {
  release(): void;
}

/**
 * Takes a file for this process, or gives undefined when somebody else has it.
 *
 * It is an exclusive transaction on an empty SQLite file: the kernel drops it when the holder dies, however it dies, so
 * there is no stale lock to judge and no race in removing one. It holds between processes and within one.
 */
export function tryLock(file: string): HeldLock | undefined {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

/** SQLITE_BUSY and its extended codes. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
