import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import { EngineError } from './engine-error.ts';

const ASK_EVERY_MS = 100;

export interface HoldLockOptions {
  readonly file: string;
  /** How messages call what the lock is for. */
  readonly purpose: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds it. */
  readonly onWait?: () => void;
}

/**
 * Holds a file for this process until it is disposed.
 *
 * It is an exclusive transaction on an empty SQLite file: the kernel drops it when the holder dies, however it dies, so
 * there is no stale lock to judge and no race in removing one. It holds between processes and within one.
 */
export async function holdLock(options: HoldLockOptions): Promise<AsyncDisposable> {
  const { file, purpose, waitMs, signal, onWait } = options;
  await mkdir(dirname(file), { recursive: true });
  const startedAt = performance.now();
  let hasWaited = false;
  for (;;) {
    signal?.throwIfAborted();
    const database = tryLock(file);
    if (database !== undefined) return { [Symbol.asyncDispose]: async () => database.close() };
    if (!hasWaited) onWait?.();
    hasWaited = true;
    if (performance.now() - startedAt >= waitMs) {
      throw new EngineError({
        reason: 'busy',
        message: `Another process has been ${purpose} for more than ${Math.round(waitMs / 1_000)} s.`,
        hint: 'Wait for it, or end it, and try again.',
      });
    }
    await sleep(ASK_EVERY_MS, undefined, signal === undefined ? {} : { signal });
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
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
