/** Smaller ones are not worth it, and may be parts of the pool that Node cuts small buffers from. */
const LEAST_BYTES = 128 * 1024;

/**
 * Gives the memory of a large buffer back at once, without waiting for the collector. The caller owns it and nobody looks
 * at it again: every view on it is empty afterwards.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_BYTES && !buffer.detached) buffer.transfer(0);
}
