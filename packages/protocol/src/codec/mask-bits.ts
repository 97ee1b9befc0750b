import type { IntValues } from './group-payload.ts';

/** What Atropos puts at a position that is not trained on; elsewhere the mask repeats the token. */
export const MASKED = -100;

/** One bit per position, set where the mask repeats its token; null when the mask holds anything else. */
export function packMaskBits(masks: IntValues, tokens: IntValues): Uint8Array | null {
  if (masks.length !== tokens.length) return null;
  const bits = new Uint8Array(Math.ceil(masks.length / 8));
  for (let index = 0; index < masks.length; index += 1) {
    const mask = masks[index]!;
    if (mask === MASKED) continue;
    if (mask !== tokens[index]) return null;
    bits[index >> 3]! |= 1 << (index & 7);
  }
  return bits;
}

/** The mask that `packMaskBits` packed, or null when bits beyond the last position are set. */
export function unpackMaskBits(bits: Uint8Array, tokens: IntValues): IntValues | null {
  const spareBits = bits.length * 8 - tokens.length;
  if (spareBits > 0 && bits[bits.length - 1]! >> (8 - spareBits) !== 0) return null;
  const masks = fitInt32(tokens) ? new Int32Array(tokens) : new Float64Array(tokens);
  for (let byte = 0; byte < bits.length; byte += 1) {
    const trained = bits[byte]!;
    // Prompts and completions are long runs: most bytes say "all eight" or "none".
    if (trained === 0xff) continue;
    const start = byte * 8;
    const end = Math.min(start + 8, masks.length);
    for (let index = start; index < end; index += 1) {
      if (((trained >> (index - start)) & 1) === 0) masks[index] = MASKED;
    }
  }
  return masks;
}

/** Whether the tokens fit beside -100 in an i32, as those of every real vocabulary do. */
function fitInt32(tokens: IntValues): boolean {
  if (tokens instanceof Uint16Array || tokens instanceof Int32Array) return true;
  for (let index = 0; index < tokens.length; index += 1) {
    if (tokens[index]! > 0x7fff_ffff || tokens[index]! < -0x8000_0000) return false;
  }
  return true;
}
