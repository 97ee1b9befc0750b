import { tryLock } from '@lachesis/protocol/files';
import { CompressionError } from '../compression-error.ts';

/** Holds an output for one process; free when it lets go or dies. */
export function lockOutput(file: string): Disposable {
  const lock = tryLock(file);
  if (lock !== undefined) return { [Symbol.dispose]: () => lock.release() };
  throw new CompressionError({
    kind: 'in-use',
    reason: 'Another process writes to this output.',
    hint: 'Wait for it, or name another output.',
  });
}
