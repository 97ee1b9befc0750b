import { TinkerProtocolError } from '../errors/client-errors.ts';

/** What a tensor of this client is made of. Integers travel as int64, floats as float32. */
export type TensorData = BigInt64Array | Float32Array | Int32Array;

/** Numbers with a shape. A sparse tensor keeps its non-zero values in `data` and their places in `sparse`. */
export interface Tensor {
  data: TensorData;
  shape: readonly number[];
  sparse?: { rowOffsets: BigInt64Array; columns: BigInt64Array };
}

/** A plain array is a tensor of one dimension. */
export type TensorInput = Tensor | TensorData;

/** The numbers of the wire's element types. */
export const DTYPES = Object.freeze({ float32: 1, int64: 2, int32: 3, bfloat16: 4 });

/** Tensors travel as raw little-endian memory, which is then the memory of a typed array. */
if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1) {
  throw new Error('@lachesis/tinker copies tensors as little-endian memory and does not run on a big-endian machine.');
}

export const toTensor = (input: TensorInput): Tensor =>
  ArrayBuffer.isView(input) ? { data: input, shape: [input.length] } : input;

/** Reads little-endian memory of an element type. The result owns its memory; int32 and bfloat16 are widened. */
export function readTensorData(bytes: Uint8Array, dtype: number): BigInt64Array | Float32Array {
  switch (dtype) {
    case DTYPES.float32:
      return new Float32Array(copyOf(bytes, 4));
    case DTYPES.int64:
      return new BigInt64Array(copyOf(bytes, 8));
    case DTYPES.int32:
      return widenInt32(new Int32Array(copyOf(bytes, 4)));
    case DTYPES.bfloat16:
      return widenBfloat16(new Uint16Array(copyOf(bytes, 2)));
    default:
      throw new TinkerProtocolError({ reason: `element type ${dtype} is unknown` });
  }
}

export const readInt32 = (bytes: Uint8Array): Int32Array => new Int32Array(copyOf(bytes, 4));

export const readFloat32 = (bytes: Uint8Array): Float32Array => new Float32Array(copyOf(bytes, 4));

/** Bytes per element on the wire. */
export function elementBytes(dtype: number): number {
  if (dtype === DTYPES.int64) return 8;
  return dtype === DTYPES.bfloat16 ? 2 : 4;
}

/** Writes each value as a low and a high word: no BigInt is made on the way. */
export function widenInt32(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index]!;
    words[2 * index] = value;
    words[2 * index + 1] = value >> 31;
  }
  return wide;
}

/** A bfloat16 is the upper half of a float32. */
function widenBfloat16(values: Uint16Array): Float32Array {
  const wide = new Float32Array(values.length);
  const words = new Uint32Array(wide.buffer);
  for (let index = 0; index < values.length; index += 1) words[index] = values[index]! << 16;
  return wide;
}

/** Copies, because the bytes inside a message stand at any offset and typed arrays want an aligned one. */
function copyOf(bytes: Uint8Array, elementSize: number): ArrayBuffer {
  if (bytes.byteLength % elementSize !== 0) {
    throw new TinkerProtocolError({
      reason: `${bytes.byteLength} bytes are no whole number of ${elementSize}-byte elements`,
    });
  }
  const copy = new ArrayBuffer(bytes.byteLength);
  new Uint8Array(copy).set(bytes);
  return copy;
}
