/** The types of numbers that weights are kept in and merged to. */
export const FLOAT_TYPES = Object.freeze(['BF16', 'F16', 'F32'] as const);

export type FloatType = (typeof FLOAT_TYPES)[number];

export const bytesOf = (type: FloatType): number => (type === 'F32' ? 4 : 2);

export const isFloatType = (type: string): type is FloatType => FLOAT_TYPES.some((known) => known === type);

/** The numbers of little-endian bytes, as they are in a safetensors file. */
export function readFloats(bytes: Uint8Array, type: FloatType): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Float32Array(bytes.byteLength / bytesOf(type));
  const bits = new Uint32Array(numbers.buffer);
  if (type === 'F32') for (let at = 0; at < bits.length; at++) bits[at] = view.getUint32(4 * at, true);
  else if (type === 'BF16') for (let at = 0; at < bits.length; at++) bits[at] = view.getUint16(2 * at, true) << 16;
  else for (let at = 0; at < bits.length; at++) bits[at] = widenHalf(view.getUint16(2 * at, true));
  return numbers;
}

/** Little-endian bytes of the numbers, each rounded to the nearest, and to the even one of two that are as near. */
export function writeFloats(numbers: Float32Array, type: FloatType): Uint8Array {
  const bytes = new Uint8Array(numbers.length * bytesOf(type));
  const view = new DataView(bytes.buffer);
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  if (type === 'F32') for (let at = 0; at < bits.length; at++) view.setUint32(4 * at, bits[at]!, true);
  else if (type === 'BF16') for (let at = 0; at < bits.length; at++) view.setUint16(2 * at, toBrain(bits[at]!), true);
  else for (let at = 0; at < bits.length; at++) view.setUint16(2 * at, toHalf(bits[at]!), true);
  return bytes;
}

/** The upper half of a single. */
function toBrain(bits: number): number {
  const isNaN = (bits & 0x7fff_ffff) > 0x7f80_0000;
  // Rounding would carry a NaN over into an infinity.
  if (isNaN) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** A half has 5 bits of exponent and 10 of fraction. */
function toHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7f_ffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
  const unbiased = exponent - 127 + 15;
  if (unbiased >= 31) return sign | 0x7c00;
  if (unbiased >= 1) return sign | roundShift((unbiased << 23) | fraction, 13);
  // Below the smallest normal half the leading one is written out and shifted away.
  return unbiased < -10 ? sign : sign | roundShift(fraction | 0x80_0000, 14 - unbiased);
}

/** Carries into the exponent where the fraction is full, and so into infinity at the very top, as it should. */
function roundShift(value: number, places: number): number {
  const half = 2 ** (places - 1);
  const rest = value & (2 * half - 1);
  const kept = value >>> places;
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

function widenHalf(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f80_0000 | (fraction << 13);
  if (exponent !== 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}
