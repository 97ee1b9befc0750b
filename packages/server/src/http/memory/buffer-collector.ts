/**
 * Frees dead buffers in time. V8 counts what a buffer weighs only when about 64 MB of them have died in a thread, and a
 * server of several threads that moves nothing but short-lived buffers would keep that much garbage in each. A minor
 * collection takes about a millisecond and frees those that died young.
 */
export interface BufferCollector {
  /** Says that so many bytes of buffers have been used up. */
  count(bytes: number): void;
}

type MinorCollection = (options: { type: 'minor' }) => void;

/** Without `--expose-gc` it does nothing, and V8 collects when it sees fit. */
export function createBufferCollector(
  options: { everyBytes?: number; collect?: MinorCollection } = {},
): BufferCollector {
  const { everyBytes = 8 * 1024 * 1024, collect = globalThis.gc } = options;
  let used = 0;
  return {
    count(bytes) {
      used += bytes;
      if (used < everyBytes || collect === undefined) return;
      used = 0;
      collect({ type: 'minor' });
    },
  };
}
