import { DTYPE } from './dtypes.ts';
import type { Dtype } from './dtypes.ts';
import type { FloatValues, IntValues } from './group-payload.ts';

/**
 * The smallest dtype that holds every integer, or null when a value is not a safe integer. An integer has no negative
 * zero: -0 counts as 0.
 */
export function narrowIntegers(values: IntValues): Dtype | null {
  if (values instanceof Uint16Array) return DTYPE.u16;
  let min = 0;
  let max = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!;
    if (value < min) min = value;
    else if (value > max) max = value;
  }
  if (values instanceof Float64Array && !areSafeIntegers(values)) return null;
  if (min >= 0) {
    if (max <= 0xffff) return DTYPE.u16;
    if (max <= 0xffff_ffff) return DTYPE.u32;
  }
  return min >= -0x8000_0000 && max <= 0x7fff_ffff ? DTYPE.i32 : DTYPE.f64;
}

export function areSafeIntegers(values: Float64Array): boolean {
  for (let index = 0; index < values.length; index += 1) {
    if (!Number.isSafeInteger(values[index])) return false;
  }
  return true;
}

/** f32 when rounding to it changes no value. Rounding keeps -0, the infinities and NaN. */
export function narrowFloats(values: FloatValues): Dtype {
  if (values instanceof Float32Array) return DTYPE.f32;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!;
    // NaN is the one value that differs from itself.
    if (Math.fround(value) !== value && value === value) return DTYPE.f64;
  }
  return DTYPE.f32;
}

/** Row and item lengths are mostly alike and small; a byte or two is enough for most groups. */
export function narrowLengths(lengths: Uint32Array): Dtype {
  let max = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    if (lengths[index]! > max) max = lengths[index]!;
  }
  if (max <= 0xff) return DTYPE.u8;
  return max <= 0xffff ? DTYPE.u16 : DTYPE.u32;
}
