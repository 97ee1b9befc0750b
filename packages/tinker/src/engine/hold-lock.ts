import { setTimeout as sleep } from 'node:timers/promises';

import { tryLock } from '@lachesis/protocol/files';
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

/** Holds a file for this process until it is disposed, and waits its turn for it. */
export async function holdLock(options: HoldLockOptions): Promise<AsyncDisposable> {
  const { file, purpose, waitMs, signal, onWait } = options;
  const startedAt = performance.now();
  let hasWaited = false;
  for (;;) {
    signal?.throwIfAborted();
    const lock = tryLock(file);
    if (lock !== undefined) return { [Symbol.asyncDispose]: async () => lock.release() };
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
