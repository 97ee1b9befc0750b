import type { Datum, ForwardBackwardRequest, InputChunk, ProvenanceSpan } from '../codec/datum.ts';
import { ProtoReader, readMapEntry } from '../codec/proto-reader.ts';
import { ProtoWriter, sizeOfField, sizeOfInteger, sizeOfVarint } from '../codec/proto-writer.ts';
import type { RawSampleResult, TopkLogprobs } from '../codec/sample-result.ts';
import { DTYPES, readInt32, readTensorData } from '../codec/tensor.ts';
import type { Tensor } from '../codec/tensor.ts';

/** The half of the codec that a server has: reads requests, writes results. Written for clarity, not for speed. */

export type EncodedField = { field: number } & (
  | { bytes: Uint8Array }
  | { message: readonly EncodedField[] }
  | { integer: number }
  | { double: number }
);

const encoder = new TextEncoder();
const memory = (data: ArrayBufferView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Writes a message from a list of its fields. */
export function encodeFields(fields: readonly EncodedField[]): Uint8Array<ArrayBuffer> {
  const parts = fields.map((entry): { entry: EncodedField; content: Uint8Array | undefined; size: number } => {
    if ('integer' in entry) return { entry, content: undefined, size: sizeOfInteger(entry.field, entry.integer) };
    if ('double' in entry) return { entry, content: undefined, size: sizeOfVarint(entry.field * 8) + 8 };
    const content = 'bytes' in entry ? entry.bytes : encodeFields(entry.message);
    return { entry, content, size: sizeOfField(entry.field, content.byteLength) };
  });
  const writer = new ProtoWriter(parts.reduce((sum, { size }) => sum + size, 0));
  for (const { entry, content } of parts) {
    if ('integer' in entry) writer.integer(entry.field, entry.integer);
    else if ('double' in entry) writer.double(entry.field, entry.double);
    else writer.field(entry.field, content!);
  }
  return writer.finish();
}

const text = (field: number, value: string): EncodedField => ({ field, bytes: encoder.encode(value) });

const packed = (values: readonly number[]): Uint8Array => {
  const writer = new ProtoWriter(values.reduce((sum, value) => sum + sizeOfVarint(value), 0));
  for (const value of values) writer.varint(value);
  return writer.finish();
};

export interface ServerRecord {
  /** Per name: raw little-endian memory, the element type, and how many elements each datum has. */
  fields: Record<
    string,
    { bytes: Uint8Array; dtype: number; lengths: readonly number[]; trailingShape?: readonly number[] }
  >;
  datums: number;
}

export function encodeForwardBackwardOutput(output: {
  outputType: string;
  records: readonly ServerRecord[];
  metrics: Readonly<Record<string, number>>;
}): Uint8Array<ArrayBuffer> {
  const width = (dtype: number): number => (dtype === DTYPES.int64 ? 8 : dtype === DTYPES.bfloat16 ? 2 : 4);
  return encodeFields([
    text(1, output.outputType),
    ...output.records.map(({ fields, datums }) => ({
      field: 2,
      message: [
        ...Object.entries(fields).map(([name, { bytes, dtype, lengths, trailingShape = [] }]) => {
          const offsets = new BigInt64Array(lengths.length + 1);
          for (const [index, length] of lengths.entries())
            offsets[index + 1] = offsets[index]! + BigInt(length * width(dtype));
          const tensor = [
            { field: 1, bytes },
            { field: 2, bytes: memory(offsets) },
            { field: 3, integer: dtype },
            ...(trailingShape.length === 0 ? [] : [{ field: 4, bytes: packed(trailingShape) }]),
          ];
          return { field: 2, message: [text(1, name), { field: 2, message: tensor }] };
        }),
        { field: 3, integer: datums },
      ],
    })),
    ...Object.entries(output.metrics).map(([name, value]) => ({
      field: 3,
      message: [text(1, name), { field: 2, double: value }],
    })),
  ]);
}

const encodeTopk = (field: number, { k, length, tokens, logprobs }: TopkLogprobs): EncodedField => ({
  field,
  message: [
    { field: 1, bytes: memory(tokens) },
    { field: 2, bytes: memory(logprobs) },
    { field: 3, integer: k },
    { field: 4, integer: length },
  ],
});

const encodeTensor = (field: number, { data, shape }: Tensor): EncodedField => ({
  field,
  message: [
    { field: 1, bytes: memory(data) },
    {
      field: 3,
      integer: data instanceof Float32Array ? DTYPES.float32 : data instanceof Int32Array ? DTYPES.int32 : DTYPES.int64,
    },
    { field: 4, bytes: packed(shape) },
  ],
});

export function encodeSampleResult(result: RawSampleResult): Uint8Array<ArrayBuffer> {
  const { sequences, promptLogprobs, topkPrompt, targetPromptLogprobs, promptAlternatives } = result;
  return encodeFields([
    ...sequences.map(({ tokens, logprobs, stopReason, topk }) => ({
      field: 1,
      message: [
        { field: 1, integer: stopReason === 'length' ? 1 : 0 },
        { field: 2, bytes: memory(tokens) },
        ...(logprobs === undefined ? [] : [{ field: 3, bytes: memory(logprobs) }]),
        ...(topk === undefined ? [] : [encodeTopk(4, topk)]),
      ],
    })),
    ...(promptLogprobs === undefined ? [] : [{ field: 2, bytes: memory(promptLogprobs) }]),
    ...(topkPrompt === undefined ? [] : [encodeTopk(3, topkPrompt)]),
    { field: 4, integer: result.promptCacheHitTokens },
    ...(targetPromptLogprobs === undefined ? [] : [encodeTensor(5, targetPromptLogprobs)]),
    ...(promptAlternatives === undefined
      ? []
      : [
          {
            field: 6,
            message: [encodeTensor(1, promptAlternatives.tokens), encodeTensor(2, promptAlternatives.logprobs)],
          },
        ]),
  ]);
}

/** Reads a training request as a server does. */
export function decodeForwardBackwardRequest(
  bytes: Uint8Array,
): ForwardBackwardRequest & { numbers: Record<string, number> } {
  const request = { modelId: '', seqId: 0, datums: [] as Datum[], loss: '', forwardOnly: false };
  const numbers: [string, number][] = [];
  const config: [string, number | string][] = [];
  const reader = new ProtoReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) request.modelId = reader.text();
    else if (reader.field === 2) request.seqId = reader.integer();
    else if (reader.field === 3) request.datums.push(readDatum(reader.message()));
    else if (reader.field === 4) request.loss = reader.text();
    else if (reader.field === 5) {
      let value = 0;
      const key = readMapEntry(reader, (entry) => {
        value = entry.double();
      });
      numbers.push([key, value]);
    } else if (reader.field === 6) request.forwardOnly = reader.integer() === 1;
    else if (reader.field === 7) {
      let value: number | string = 0;
      const key = readMapEntry(reader, (entry) => {
        const inner = entry.message();
        while (inner.next()) value = inner.field === 1 ? inner.double() : inner.text();
      });
      config.push([key, value]);
    } else reader.skip();
  }
  return { ...request, config: Object.fromEntries(config), numbers: Object.fromEntries(numbers) };
}

function readDatum(reader: ProtoReader): Datum {
  const chunks: InputChunk[] = [];
  const inputs: [string, Tensor][] = [];
  const provenance: { input: ProvenanceSpan[]; lossInputs: ProvenanceSpan[] } = { input: [], lossInputs: [] };
  while (reader.next()) {
    if (reader.field === 1) chunks.push(readChunk(reader.message()));
    else if (reader.field === 2) {
      let tensor: Tensor | undefined;
      const name = readMapEntry(reader, (entry) => {
        tensor = readTensor(entry.message());
      });
      inputs.push([name, tensor!]);
    } else if (reader.field === 3) provenance.input.push(readSpan(reader.message()));
    else if (reader.field === 4) provenance.lossInputs.push(readSpan(reader.message()));
    else reader.skip();
  }
  const [first] = chunks;
  const isPlain = chunks.length === 1 && first?.type === 'encoded_text';
  const hasSpans = provenance.input.length + provenance.lossInputs.length > 0;
  return {
    tokens: isPlain ? first.tokens : new Int32Array(0),
    // Not by assignment, which a name such as `__proto__` would get past.
    inputs: Object.fromEntries(inputs),
    ...(isPlain ? {} : { chunks }),
    ...(hasSpans ? { provenance } : {}),
  };
}

function readChunk(reader: ProtoReader): InputChunk {
  reader.next();
  const kind = reader.field;
  const inner = reader.message();
  let [content, format, expectedTokens]: [Uint8Array, string, number | undefined] = [new Uint8Array(0), '', undefined];
  while (inner.next()) {
    if (inner.field === 1) content = inner.bytes();
    else if (inner.field === 2) format = inner.text();
    else expectedTokens = inner.integer();
  }
  if (kind === 1) return { type: 'encoded_text', tokens: readInt32(content) };
  if (kind === 3) return { type: 'dmel', dmel: content.slice() };
  return {
    type: 'image',
    data: content.slice(),
    format: format as 'png',
    ...(expectedTokens === undefined ? {} : { expectedTokens }),
  };
}

function readTensor(reader: ProtoReader): Tensor {
  let values: Uint8Array = new Uint8Array(0);
  let sparse: Tensor['sparse'];
  let dtype = 0;
  const shape: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) values = reader.bytes();
    else if (reader.field === 2) {
      const inner = reader.message();
      const parts: Uint8Array[] = [];
      while (inner.next()) parts[inner.field] = inner.bytes();
      values = parts[1]!;
      sparse = {
        rowOffsets: readTensorData(parts[2]!, DTYPES.int64) as BigInt64Array,
        columns: readTensorData(parts[3]!, DTYPES.int64) as BigInt64Array,
      };
    } else if (reader.field === 3) dtype = reader.integer();
    else reader.integers(shape);
  }
  return { data: readTensorData(values, dtype), shape, ...(sparse === undefined ? {} : { sparse }) };
}

function readSpan(reader: ProtoReader): ProvenanceSpan {
  reader.next();
  const span: ProvenanceSpan = {
    from: reader.field === 1 ? 'prompt' : 'sampled',
    sequenceId: '',
    offset: 0,
    length: 0,
  };
  const inner = reader.message();
  while (inner.next()) {
    if (inner.field === 1) span.sequenceId = inner.text();
    else if (inner.field === 2) span.offset = inner.integer();
    else span.length = inner.integer();
  }
  return span;
}
