import { TinkerProtocolError } from '../errors/client-errors.ts';
import type { ForwardBackwardOutput, LossOutput } from './datum.ts';
import { ProtoReader, readMapEntry } from './proto-reader.ts';
import { DTYPES, elementBytes, readTensorData } from './tensor.ts';

/** Decodes the result of forward or forward_backward: each field is one copy of memory, cut into a view per datum. */
export function decodeForwardBackwardOutput(bytes: Uint8Array): ForwardBackwardOutput {
  const output: ForwardBackwardOutput = { outputType: '', outputs: [], metrics: {} };
  const reader = new ProtoReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) output.outputType = reader.text().split(':').at(-1) ?? '';
    else if (reader.field === 2) readRecord(reader.message(), output.outputs);
    else if (reader.field === 3) {
      let value = 0;
      const key = readMapEntry(reader, (entry) => {
        value = entry.double();
      });
      output.metrics[key] = value;
    } else reader.skip();
  }
  return output;
}

interface BatchedTensor {
  data: Uint8Array;
  offsets: BigInt64Array;
  dtype: number;
  trailingShape: number[];
}

/** One record holds the same fields for several datums; several records follow each other. */
function readRecord(reader: ProtoReader, outputs: LossOutput[]): void {
  const fields: [string, BatchedTensor][] = [];
  let count = 0;
  while (reader.next()) {
    if (reader.field === 2) {
      let tensor: BatchedTensor | undefined;
      const name = readMapEntry(reader, (entry) => {
        tensor = readBatchedTensor(entry.message());
      });
      if (tensor !== undefined) fields.push([name, tensor]);
    } else if (reader.field === 3) count = reader.integer();
    else reader.skip();
  }
  const columns = fields.map(([name, tensor]) => [name, splitTensor(name, tensor, count)] as const);
  for (let index = 0; index < count; index += 1) {
    outputs.push(Object.fromEntries(columns.map(([name, column]) => [name, column(index)])));
  }
}

function readBatchedTensor(reader: ProtoReader): BatchedTensor {
  const tensor: BatchedTensor = {
    data: new Uint8Array(0),
    offsets: new BigInt64Array(0),
    dtype: DTYPES.float32,
    trailingShape: [],
  };
  while (reader.next()) {
    if (reader.field === 1) tensor.data = reader.bytes();
    else if (reader.field === 2) tensor.offsets = readTensorData(reader.bytes(), DTYPES.int64) as BigInt64Array;
    else if (reader.field === 3) tensor.dtype = reader.integer();
    else if (reader.field === 4) reader.integers(tensor.trailingShape);
    else reader.skip();
  }
  return tensor;
}

function splitTensor(name: string, tensor: BatchedTensor, count: number): (index: number) => LossOutput[string] {
  const { data, offsets, dtype, trailingShape } = tensor;
  if (count > 0 && offsets.length !== count + 1) {
    throw new TinkerProtocolError({ reason: `${name} has ${offsets.length} offsets for ${count} datums` });
  }
  const values = readTensorData(data, dtype);
  const width = elementBytes(dtype);
  const rowSize = trailingShape.reduce((product, dimension) => product * dimension, 1);
  return (index) => {
    // Offsets count bytes as they were on the wire, before int32 and bfloat16 were widened.
    const [start, end] = [Number(offsets[index]!) / width, Number(offsets[index + 1]!) / width];
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end > values.length) {
      throw new TinkerProtocolError({ reason: `${name} of datum ${index} lies outside its data` });
    }
    const length = end - start;
    const shape =
      rowSize === 1 && trailingShape.length === 0 ? [length] : [length / Math.max(1, rowSize), ...trailingShape];
    return { data: values.subarray(start, end), shape };
  };
}
