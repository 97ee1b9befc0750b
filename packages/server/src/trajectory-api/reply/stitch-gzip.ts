import { crc32 } from 'node:zlib';
import type { WireBlock } from '@lachesis/protocol/codec';
import { combineCrc32 } from './combine-crc32.ts';

/** Deflate, no name, no time: equal batches have equal bytes. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

const TRAILER_BYTES = 8;

/** Text between blocks goes into a stored deflate block, whose length is a u16. */
const MAX_STORED_BYTES = 0xffff;

/** Either text to be stored as it is, or a block that was compressed when its group came in. */
export type GzipPiece = Uint8Array | WireBlock;

/**
 * One gzip member made of pieces, without compressing or even looking at what is inside the blocks. A single member,
 * because aiohttp up to 3.9 stops reading after the first.
 */
export function stitchGzip(pieces: readonly GzipPiece[]): Uint8Array<ArrayBuffer>[] {
  const chunks: Uint8Array<ArrayBuffer>[] = [HEADER.slice()];
  let crc = 0;
  let length = 0;
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) {
      chunks.push(storeText(piece));
      crc = combineCrc32(crc, crc32(piece), piece.length);
      length += piece.length;
    } else {
      chunks.push(piece.deflated as Uint8Array<ArrayBuffer>);
      crc = combineCrc32(crc, piece.crc32, piece.inflatedBytes);
      length += piece.inflatedBytes;
    }
  }
  chunks.push(endStream(crc, length));
  return chunks;
}

function storeText(text: Uint8Array): Uint8Array<ArrayBuffer> {
  if (text.length > MAX_STORED_BYTES) throw new RangeError(`A stored block holds ${MAX_STORED_BYTES} bytes`);
  const block = new Uint8Array(5 + text.length);
  const view = new DataView(block.buffer);
  view.setUint16(1, text.length, true);
  view.setUint16(3, ~text.length, true);
  block.set(text, 5);
  return block;
}

/** An empty final block, then gzip's CRC and length. */
function endStream(crc: number, length: number): Uint8Array<ArrayBuffer> {
  const end = new Uint8Array(5 + TRAILER_BYTES);
  const view = new DataView(end.buffer);
  view.setUint8(0, 1);
  view.setUint16(3, 0xffff, true);
  view.setUint32(5, crc, true);
  view.setUint32(9, length % 0x1_0000_0000, true);
  return end;
}
