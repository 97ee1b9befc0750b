/** Element types as stored. Like section ids, the numbers are for ever. */
export const DTYPE = Object.freeze({ u8: 1, bits: 2, u16: 3, u32: 4, i32: 5, f32: 6, f64: 7 } as const);

export type Dtype = (typeof DTYPE)[keyof typeof DTYPE];
export type StoredValues = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const constructors = {
  [DTYPE.u8]: Uint8Array,
  [DTYPE.bits]: Uint8Array,
  [DTYPE.u16]: Uint16Array,
  [DTYPE.u32]: Uint32Array,
  [DTYPE.i32]: Int32Array,
  [DTYPE.f32]: Float32Array,
  [DTYPE.f64]: Float64Array,
} as const;

export const isDtype = (dtype: number): dtype is Dtype => Object.hasOwn(constructors, dtype);

/** How many bytes `count` elements take; bits are packed eight to a byte. */
export function countBytes(dtype: Dtype, count: number): number {
  return dtype === DTYPE.bits ? Math.ceil(count / 8) : count * constructors[dtype].BYTES_PER_ELEMENT;
}

/** A typed view on stored bytes, without copying. The offset must be a multiple of eight. */
export function viewValues(
  dtype: Dtype,
  buffer: ArrayBufferLike,
  byteOffset: number,
  byteLength: number,
): StoredValues {
  const Values = constructors[dtype];
  // A shared buffer works the same; the constructors' union just cannot say so.
  return new Values(buffer as ArrayBuffer, byteOffset, byteLength / Values.BYTES_PER_ELEMENT);
}
