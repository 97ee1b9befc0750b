/** Fields begin at any byte and words want to be aligned: they are laid out here and copied as memory. */
const SCRATCH_VALUES = 8192;
const scratchWords = new Int32Array(2 * SCRATCH_VALUES);
const scratchBytes = new Uint8Array(scratchWords.buffer);

/**
 * Writes protobuf into memory whose size was computed first, so that a request is one allocation. Callers add up
 * `sizeOf…` for what they will write; a wrong sum shows as an error of `finish`, never as a broken message.
 */
export class ProtoWriter {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #position = 0;

  /** Without memory of exactly the size its own is taken. */
  constructor(size: number, memory?: Uint8Array<ArrayBuffer>) {
    this.bytes = memory ?? allocateBytes(size);
    this.#view = new DataView(this.bytes.buffer, this.bytes.byteOffset, size);
  }

  /** A non-negative integer below 2^53. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.#position++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.#position++] = rest;
  }

  tag(field: number, wireType: 0 | 1 | 2): void {
    this.varint(field * 8 + wireType);
  }

  integer(field: number, value: number): void {
    if (value === 0) return;
    this.tag(field, 0);
    this.varint(value);
  }

  /** The tag and length of a nested message of a known size. */
  header(field: number, size: number): void {
    this.tag(field, 2);
    this.varint(size);
  }

  raw(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.#position);
    this.#position += bytes.byteLength;
  }

  field(field: number, bytes: Uint8Array): void {
    this.header(field, bytes.byteLength);
    this.raw(bytes);
  }

  double(field: number, value: number): void {
    this.tag(field, 1);
    this.#view.setFloat64(this.#position, value, true);
    this.#position += 8;
  }

  /** 32-bit integers as 64-bit ones: a low and a high word each, without a BigInt. */
  widenedInt32(values: Int32Array): void {
    for (let start = 0; start < values.length; start += SCRATCH_VALUES) {
      const end = Math.min(values.length, start + SCRATCH_VALUES);
      for (let index = start, word = 0; index < end; index += 1, word += 2) {
        const value = values[index]!;
        scratchWords[word] = value;
        scratchWords[word + 1] = value >> 31;
      }
      this.raw(end - start === SCRATCH_VALUES ? scratchBytes : scratchBytes.subarray(0, (end - start) * 8));
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    if (this.#position !== this.bytes.byteLength) {
      throw new RangeError(`a message of ${this.bytes.byteLength} bytes was filled with ${this.#position}`);
    }
    return this.bytes;
  }
}

/** Memory that is not cleared: every byte is written before anybody sees it. */
export function allocateBytes(size: number): Uint8Array<ArrayBuffer> {
  const buffer = Buffer.allocUnsafeSlow(size);
  return new Uint8Array(buffer.buffer, buffer.byteOffset, size);
}

export function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

export const sizeOfTag = (field: number): number => sizeOfVarint(field * 8);

export const sizeOfInteger = (field: number, value: number): number =>
  value === 0 ? 0 : sizeOfTag(field) + sizeOfVarint(value);

/** A length-delimited field whose content has `size` bytes. */
export const sizeOfField = (field: number, size: number): number => sizeOfTag(field) + sizeOfVarint(size) + size;
