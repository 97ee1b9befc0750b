import { createHuffmanCode } from './huffman-code.ts';
import type { HuffmanCode } from './huffman-code.ts';

/*
 * Raw deflate without matches: dynamic Huffman codes over literals only. zlib can be asked for the same, but goes through
 * its match buffer for every byte. Here two bytes are looked up and written at once, without a branch, in little more than half the time.
 */

/** Tokens, masks and logprobs use different digits; a code of its own for each stretch saves more than it costs. */
const BLOCK_BYTES = 131_072;

/** Two codes and the seven bits left over fit in 31 bits. Deflate would allow 15; digits never come near it. */
const MAX_CODE_LENGTH = 12;

const END_OF_BLOCK = 256;
const LITERALS = 257;

/** The order in which deflate lists the lengths of the codes that encode lengths. */
const LENGTH_CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** For two bytes as a little-endian u16: their codes one after the other, and in the top byte how many bits. */
const pairs = new Uint32Array(65_536);

interface BitWriter {
  output: Uint8Array;
  view: DataView;
  position: number;
  /** Bits not yet written, fewer than eight. */
  pending: number;
  pendingCount: number;
}

/**
 * Compresses `text` and ends byte-aligned after an empty stored block, as a full flush does. The result is a view on the
 * scratch, which grows to the most that the text could take.
 */
export function deflateLiterals(
  text: Uint8Array,
  scratch: { deflated: Uint8Array<ArrayBuffer> } = { deflated: new Uint8Array(0) },
): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil(text.length / BLOCK_BYTES);
  const mostBytes = Math.ceil((text.length * MAX_CODE_LENGTH) / 8) + blocks * 512 + 64;
  if (scratch.deflated.length < mostBytes) scratch.deflated = new Uint8Array(mostBytes);
  const output = scratch.deflated;
  const view = new DataView(output.buffer, output.byteOffset, output.length);
  const writer: BitWriter = { output, view, position: 0, pending: 0, pendingCount: 0 };
  for (let start = 0; start < text.length; start += BLOCK_BYTES) {
    writeBlock(writer, text.subarray(start, start + BLOCK_BYTES));
  }
  writeBits(writer, 0, 3);
  if (writer.pendingCount > 0) writeBits(writer, 0, 8 - writer.pendingCount);
  view.setUint32(writer.position, 0xffff_0000, true);
  return output.subarray(0, writer.position + 4);
}

function writeBlock(writer: BitWriter, text: Uint8Array): void {
  const frequencies = countBytes(text);
  frequencies[END_OF_BLOCK] = 1;
  const code = createHuffmanCode(frequencies, MAX_CODE_LENGTH);
  writeHeader(writer, code);
  fillPairs(code);
  writePairs(writer, text);
  if (text.length % 2 === 1) writeSymbol(writer, code, text[text.length - 1]!);
  writeSymbol(writer, code, END_OF_BLOCK);
}

function countBytes(text: Uint8Array): Uint32Array {
  // Four tables: counting equal neighbours in one would make each addition wait for the one before.
  const counts = new Uint32Array(4 * 256);
  const view = new DataView(text.buffer, text.byteOffset, text.length);
  const whole = text.length - (text.length % 4);
  for (let index = 0; index < whole; index += 4) {
    const word = view.getInt32(index, true);
    counts[word & 0xff]!++;
    counts[0x100 | ((word >>> 8) & 0xff)]!++;
    counts[0x200 | ((word >>> 16) & 0xff)]!++;
    counts[0x300 | (word >>> 24)]!++;
  }
  for (let index = whole; index < text.length; index++) counts[text[index]!]!++;
  const frequencies = new Uint32Array(LITERALS);
  for (let index = 0; index < counts.length; index++) frequencies[index & 0xff]! += counts[index]!;
  return frequencies;
}

/** Codes are described by their lengths, and the lengths are themselves Huffman coded, with runs of zeros shortened. */
function writeHeader(writer: BitWriter, { lengths }: HuffmanCode): void {
  // One distance code is described though none is used: readers expect a length for it.
  const steps = shortenZeros([...lengths, 1]);
  const frequencies = new Uint32Array(19);
  for (const { symbol } of steps) frequencies[symbol]!++;
  const code = createHuffmanCode(frequencies, 7);
  writeBits(writer, 0b100, 3);
  writeBits(writer, LITERALS - 257, 5);
  writeBits(writer, 0, 5);
  writeBits(writer, LENGTH_CODE_ORDER.length - 4, 4);
  for (const symbol of LENGTH_CODE_ORDER) writeBits(writer, code.lengths[symbol]!, 3);
  for (const { symbol, extra, extraBits } of steps) {
    writeSymbol(writer, code, symbol);
    writeBits(writer, extra, extraBits);
  }
}

function shortenZeros(lengths: readonly number[]): { symbol: number; extra: number; extraBits: number }[] {
  const steps = [];
  for (let index = 0; index < lengths.length;) {
    let end = index;
    while (end < lengths.length && end - index < 138 && lengths[end] === 0) end++;
    const zeros = end - index;
    if (zeros >= 11) steps.push({ symbol: 18, extra: zeros - 11, extraBits: 7 });
    else if (zeros >= 3) steps.push({ symbol: 17, extra: zeros - 3, extraBits: 3 });
    else steps.push({ symbol: lengths[index]!, extra: 0, extraBits: 0 });
    index += zeros >= 3 ? zeros : 1;
  }
  return steps;
}

function fillPairs({ bits, lengths, used }: HuffmanCode): void {
  const bytes = used.filter((symbol) => symbol !== END_OF_BLOCK);
  for (const first of bytes) {
    for (const second of bytes) {
      const joined = bits[first]! | (bits[second]! << lengths[first]!);
      pairs[first | (second << 8)] = joined | ((lengths[first]! + lengths[second]!) << 24);
    }
  }
}

function writePairs(writer: BitWriter, text: Uint8Array): void {
  const input = new DataView(text.buffer, text.byteOffset, text.length);
  const { view } = writer;
  let { position, pending, pendingCount } = writer;
  for (let index = 0; index + 1 < text.length; index += 2) {
    const pair = pairs[input.getUint16(index, true)]!;
    pending |= (pair & 0xff_ffff) << pendingCount;
    pendingCount += pair >>> 24;
    view.setInt32(position, pending, true);
    position += pendingCount >>> 3;
    pending >>>= pendingCount & 24;
    pendingCount &= 7;
  }
  writer.position = position;
  writer.pending = pending;
  writer.pendingCount = pendingCount;
}

function writeSymbol(writer: BitWriter, { bits, lengths }: HuffmanCode, symbol: number): void {
  writeBits(writer, bits[symbol]!, lengths[symbol]!);
}

function writeBits(writer: BitWriter, bits: number, count: number): void {
  writer.pending |= bits << writer.pendingCount;
  writer.pendingCount += count;
  while (writer.pendingCount >= 8) {
    writer.output[writer.position++] = writer.pending & 0xff;
    writer.pending >>>= 8;
    writer.pendingCount -= 8;
  }
}
