import { TinkerProtocolError } from '../errors/client-errors.ts';
import { toTensor } from './tensor.ts';
import type { Tensor, TensorInput } from './tensor.ts';

/** The JSON form of a tensor. */
export interface JsonTensor {
  data: (number | null)[];
  dtype: 'float32' | 'int64';
  shape?: number[];
  sparse_crow_indices?: number[];
  sparse_col_indices?: number[];
}

export function tensorToJson(input: TensorInput): JsonTensor {
  const { data, shape, sparse } = toTensor(input);
  return {
    // JSON has no NaN; JSON.stringify would write null for it, and here that is said.
    data: Array.from(data as Iterable<bigint | number>, (value) => {
      const number = Number(value);
      return Number.isFinite(number) ? number : null;
    }),
    dtype: data instanceof Float32Array ? 'float32' : 'int64',
    shape: [...shape],
    ...(sparse === undefined
      ? {}
      : {
          sparse_crow_indices: Array.from(sparse.rowOffsets, Number),
          sparse_col_indices: Array.from(sparse.columns, Number),
        }),
  };
}

export function tensorFromJson(value: unknown, name: string): Tensor & { data: BigInt64Array | Float32Array } {
  const {
    data,
    dtype,
    shape,
    sparse_crow_indices: rows,
    sparse_col_indices: columns,
  } = (value ?? {}) as Partial<JsonTensor>;
  const values = dtype === 'int64' ? int64FromJson(data, name) : float32FromJson(data, name);
  return {
    data: values,
    shape: Array.isArray(shape) ? shape : [values.length],
    ...(rows === undefined || columns === undefined
      ? {}
      : { sparse: { rowOffsets: int64FromJson(rows, name), columns: int64FromJson(columns, name) } }),
  };
}

/** A list of numbers; null and the words Python's JSON knows for them become NaN and the infinities. */
export function float32FromJson(value: unknown, name: string): Float32Array {
  const list = listOf(value, name);
  const out = new Float32Array(list.length);
  for (let index = 0; index < list.length; index += 1) out[index] = toFloat(list[index], name);
  return out;
}

export function int32FromJson(value: unknown, name: string): Int32Array {
  const list = listOf(value, name);
  const out = new Int32Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    const number = list[index];
    if (!Number.isInteger(number) || (number as number) !== ((number as number) | 0)) {
      throw new TinkerProtocolError({ reason: `${name}[${index}] is no 32-bit integer` });
    }
    out[index] = number as number;
  }
  return out;
}

function int64FromJson(value: unknown, name: string): BigInt64Array<ArrayBuffer> {
  const list = listOf(value, name);
  const out = new BigInt64Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    const number = list[index];
    if (!Number.isSafeInteger(number)) throw new TinkerProtocolError({ reason: `${name}[${index}] is no integer` });
    out[index] = BigInt(number as number);
  }
  return out;
}

function listOf(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new TinkerProtocolError({ reason: `${name} is no list` });
  return value;
}

export function toFloat(value: unknown, name: string): number {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined || value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Number.POSITIVE_INFINITY;
  if (value === '-Infinity') return Number.NEGATIVE_INFINITY;
  throw new TinkerProtocolError({ reason: `${name} holds something that is no number` });
}
