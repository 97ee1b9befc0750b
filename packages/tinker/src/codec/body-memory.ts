import { allocateBytes } from './proto-writer.ts';

/** Memory is asked for in whole steps, so that the next batch of about the same size fits into it. */
const STEP_BYTES = 1024 * 1024;
/** A body smaller than this is made anew in no time. */
const MIN_BYTES = 256 * 1024;
/** The parts of one batch of a million tokens; more than that is let go. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * Memory of request bodies that were sent, for the next ones. Fresh memory of this size is mapped page by page while it is
 * written, which takes several times as long as encoding into it.
 */
export class BodyMemory {
  readonly #kept: ArrayBuffer[] = [];
  #keptBytes = 0;

  /** Bytes whose content is undefined. */
  take(size: number): Uint8Array<ArrayBuffer> {
    if (size < MIN_BYTES) return allocateBytes(size);
    const index = this.#kept.findIndex(({ byteLength }) => byteLength >= size);
    if (index < 0) return allocateBytes(Math.ceil(size / STEP_BYTES) * STEP_BYTES).subarray(0, size);
    const [buffer] = this.#kept.splice(index, 1);
    this.#keptBytes -= buffer!.byteLength;
    return new Uint8Array(buffer!, 0, size);
  }

  /** The caller reads and writes these bytes no more, and nobody it gave them to does. */
  giveBack(bytes: Uint8Array<ArrayBuffer>): void {
    const { buffer } = bytes;
    if (buffer.byteLength < MIN_BYTES || this.#keptBytes + buffer.byteLength > MAX_KEPT_BYTES) return;
    this.#kept.push(buffer);
    this.#keptBytes += buffer.byteLength;
  }
}
