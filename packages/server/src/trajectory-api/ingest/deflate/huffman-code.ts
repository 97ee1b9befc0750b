/** A prefix code: for each symbol the bits, first bit lowest as deflate writes them, and how many; zero when unused. */
export interface HuffmanCode {
  bits: Uint16Array;
  lengths: Uint8Array;
  /** The symbols that have a code, ascending. */
  used: number[];
}

/** A prefix code for symbols of these frequencies, with no code longer than `maxLength`; the best but for rare symbols. */
export function createHuffmanCode(frequencies: Uint32Array, maxLength: number): HuffmanCode {
  const used: number[] = [];
  for (let symbol = 0; symbol < frequencies.length; symbol++) if (frequencies[symbol]! > 0) used.push(symbol);
  const lengths = new Uint8Array(frequencies.length);
  if (used.length === 1) lengths[used[0]!] = 1;
  else if (used.length > 1) chooseLengths(frequencies, used, maxLength, lengths);
  return { bits: assignBits(lengths, used), lengths, used };
}

/** There are fewer symbols than this, so that a weight and its symbol sort as one number. */
const SYMBOLS = 512;

function chooseLengths(
  frequencies: Uint32Array,
  used: readonly number[],
  maxLength: number,
  lengths: Uint8Array,
): void {
  const total = used.reduce((sum, symbol) => sum + frequencies[symbol]!, 0);
  // Rare symbols are counted up to where their codes are short enough, nearly always at the first try.
  const least = Math.floor(total / 2 ** (maxLength - 1));
  let weights = Float64Array.from(used, (symbol) => Math.max(least, frequencies[symbol]!));
  for (;;) {
    const sorted = weights.map((weight, index) => weight * SYMBOLS + index).sort();
    const depths = measureDepths(sorted.map((key) => Math.floor(key / SYMBOLS)));
    if (depths[0]! <= maxLength) {
      for (let rank = 0; rank < sorted.length; rank++) lengths[used[sorted[rank]! % SYMBOLS]!] = depths[rank]!;
      return;
    }
    // Flattening the weights shortens the longest codes further; in the end all are equal.
    weights = weights.map((weight) => Math.floor(weight / 2) + 1);
  }
}

/** Depths of the leaves of the Huffman tree over ascending weights; the first is the deepest. */
function measureDepths(weights: Float64Array): Uint8Array {
  const leaves = weights.length;
  const root = 2 * leaves - 2;
  const nodes = new Float64Array(root + 1);
  nodes.set(weights);
  const parents = new Uint16Array(root + 1);
  let leaf = 0;
  let inner = leaves;
  for (let parent = leaves; parent <= root; parent++) {
    // The two lightest of the leaves and inner nodes that have no parent yet; both come in ascending order.
    for (let child = 0; child < 2; child++) {
      const lightest = leaf < leaves && (inner >= parent || nodes[leaf]! <= nodes[inner]!) ? leaf++ : inner++;
      nodes[parent]! += nodes[lightest]!;
      parents[lightest] = parent;
    }
  }
  const depths = new Uint8Array(root + 1);
  for (let node = root - 1; node >= 0; node--) depths[node] = depths[parents[node]!]! + 1;
  return depths.subarray(0, leaves);
}

/** Canonical codes, as deflate prescribes them: shorter first, equal lengths in symbol order. */
function assignBits(lengths: Uint8Array, used: readonly number[]): Uint16Array {
  const counts = new Uint16Array(17);
  for (const symbol of used) counts[lengths[symbol]!]!++;
  const next = new Uint16Array(17);
  for (let length = 1; length < 16; length++) next[length + 1] = (next[length]! + counts[length]!) << 1;
  const bits = new Uint16Array(lengths.length);
  for (const symbol of used) bits[symbol] = reverseBits(next[lengths[symbol]!]!++, lengths[symbol]!);
  return bits;
}

function reverseBits(code: number, length: number): number {
  let reversed = 0;
  for (let index = 0; index < length; index++) reversed |= ((code >>> index) & 1) << (length - 1 - index);
  return reversed;
}
