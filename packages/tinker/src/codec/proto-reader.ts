import { TinkerProtocolError } from '../errors/client-errors.ts';

const broken = (reason: string): TinkerProtocolError => new TinkerProtocolError({ reason });

const text = new TextDecoder();

/** Reads protobuf fields from bytes a server sent. Every length is checked before it is used. */
export class ProtoReader {
  /** The field number of the last `next`. */
  field = 0;
  #wireType = 0;
  #position = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.#position >= this.#bytes.byteLength) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.#wireType = tag % 8;
    return true;
  }

  /** An unsigned integer, exact up to 2^53. A negative int32 or int64 arrives as ten bytes and is refused by its range. */
  integer(): number {
    this.#expect(0);
    return this.#varint();
  }

  /** A signed 64-bit integer. */
  signed(): number {
    this.#expect(0);
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
    throw broken('an integer has more than ten bytes');
  }

  double(): number {
    this.#expect(1);
    const start = this.#take(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + start, 8).getFloat64(0, true);
  }

  /** A view into the message, not a copy. */
  bytes(): Uint8Array {
    this.#expect(2);
    const length = this.#varint();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  message(): ProtoReader {
    return new ProtoReader(this.bytes());
  }

  text(): string {
    return text.decode(this.bytes());
  }

  /** A repeated integer, packed or not: adds what this field holds. */
  integers(into: number[]): void {
    if (this.#wireType === 0) {
      into.push(this.signed());
      return;
    }
    const packed = new ProtoReader(this.bytes());
    while (packed.#position < packed.#bytes.byteLength) {
      packed.#wireType = 0;
      into.push(packed.signed());
    }
  }

  /** Steps over a field nobody asked for, so that a newer server can be read. */
  skip(): void {
    switch (this.#wireType) {
      case 0:
        this.signed();
        return;
      case 1:
        this.#take(8);
        return;
      case 2:
        this.bytes();
        return;
      case 5:
        this.#take(4);
        return;
      default:
        throw broken(`field ${this.field} has wire type ${this.#wireType}`);
    }
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) {
      throw broken(`field ${this.field} has wire type ${this.#wireType}, not ${wireType}`);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw broken('the message ends inside a field');
    this.#position += 1;
    return byte;
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count += 1) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
      scale *= 0x80;
    }
    throw broken(`field ${this.field} holds an integer that is negative or beyond 2^53`);
  }

  #take(length: number): number {
    const start = this.#position;
    if (length > this.#bytes.byteLength - start) throw broken('the message ends inside a field');
    this.#position = start + length;
    return start;
  }
}

/** Reads one entry of a map with text keys; the value is read by the caller. */
export function readMapEntry(reader: ProtoReader, readValue: (entry: ProtoReader) => void): string {
  let key = '';
  const entry = reader.message();
  while (entry.next()) {
    if (entry.field === 1) key = entry.text();
    else if (entry.field === 2) readValue(entry);
    else entry.skip();
  }
  return key;
}
