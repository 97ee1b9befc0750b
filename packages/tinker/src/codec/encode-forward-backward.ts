import { TinkerValidationError } from '../errors/server-errors.ts';
import type { BodyMemory } from './body-memory.ts';
import type { Datum, ForwardBackwardRequest, InputChunk, LossConfig, ProvenanceSpan } from './datum.ts';
import { ProtoWriter, sizeOfField, sizeOfInteger, sizeOfVarint } from './proto-writer.ts';
import { DTYPES, toTensor } from './tensor.ts';
import type { Tensor, TensorData } from './tensor.ts';

const encoder = new TextEncoder();
/** Names of inputs and losses repeat in every datum of every request. */
const encodedNames = new Map<string, Uint8Array>();
/** A program that makes up names without end must not fill the memory with them. */
const MAX_ENCODED_NAMES = 1024;

/**
 * Encodes a `ForwardBackwardRequest`. The first pass adds up sizes, the second writes into one buffer: a batch of a
 * million tokens is copied as memory and never becomes a list of numbers.
 */
export function encodeForwardBackward(request: ForwardBackwardRequest, memory?: BodyMemory): Uint8Array<ArrayBuffer> {
  const modelId = encoder.encode(request.modelId);
  const loss = encodeName(request.loss);
  const config = encodeConfig(request.config ?? {});
  const datums = request.datums.map(measureDatum);

  let size = sizeOfField(1, modelId.byteLength) + sizeOfInteger(2, request.seqId) + sizeOfField(4, loss.byteLength);
  for (const datum of datums) size += sizeOfField(3, datum.size);
  for (const { number, text } of config) size += (number?.size ?? 0) + text.size;
  if (request.forwardOnly === true) size += 2;

  const writer = new ProtoWriter(size, memory?.take(size));
  writer.field(1, modelId);
  writer.integer(2, request.seqId);
  for (const datum of datums) writeDatum(writer, datum);
  writer.field(4, loss);
  for (const { number } of config) number?.write(writer);
  if (request.forwardOnly === true) writer.integer(6, 1);
  for (const { text } of config) text.write(writer);
  return writer.finish();
}

/** The size a datum will take in a request, which is what the server's limits count. */
export const measureDatumBytes = (datum: Datum): number => sizeOfField(3, measureDatum(datum).size);

interface MeasuredTensor {
  name: Uint8Array;
  tensor: Tensor;
  shapeSize: number;
  /** Bytes of the encoded values, dense or sparse. */
  encodingSize: number;
  size: number;
  entrySize: number;
}

interface MeasuredDatum {
  datum: Datum;
  chunks: { chunk: InputChunk; size: number }[];
  tensors: MeasuredTensor[];
  spans: { field: 3 | 4; span: ProvenanceSpan; source: Uint8Array; inner: number }[];
  size: number;
}

function measureDatum(datum: Datum): MeasuredDatum {
  const chunks = (datum.chunks ?? [{ type: 'encoded_text', tokens: datum.tokens } as const]).map((chunk) => ({
    chunk,
    size: sizeOfChunk(chunk),
  }));
  const tensors = Object.entries(datum.inputs).map(([name, input]) => measureTensor(name, toTensor(input)));
  const spans = [
    ...(datum.provenance?.input ?? []).map((span) => measureSpan(3, span)),
    ...(datum.provenance?.lossInputs ?? []).map((span) => measureSpan(4, span)),
  ];
  let size = 0;
  for (const chunk of chunks) size += sizeOfField(1, chunk.size);
  for (const { entrySize } of tensors) size += sizeOfField(2, entrySize);
  for (const { field, inner } of spans) size += sizeOfField(field, sizeOfField(1, inner));
  return { datum, chunks, tensors, spans, size };
}

function measureTensor(name: string, tensor: Tensor): MeasuredTensor {
  const encodedName = encodeName(name);
  const valueBytes = wireBytes(tensor.data);
  const encodingSize =
    tensor.sparse === undefined
      ? valueBytes
      : sizeOfField(1, valueBytes) +
        sizeOfField(2, tensor.sparse.rowOffsets.byteLength) +
        sizeOfField(3, tensor.sparse.columns.byteLength);
  let shapeSize = 0;
  for (const dimension of tensor.shape) shapeSize += sizeOfVarint(dimension);
  const size =
    sizeOfField(1, encodingSize) +
    sizeOfInteger(3, dtypeOf(tensor.data)) +
    (shapeSize === 0 ? 0 : sizeOfField(4, shapeSize));
  const entrySize = sizeOfField(1, encodedName.byteLength) + sizeOfField(2, size);
  return { name: encodedName, tensor, shapeSize, encodingSize, size, entrySize };
}

function measureSpan(field: 3 | 4, span: ProvenanceSpan): MeasuredDatum['spans'][number] {
  const source = encoder.encode(span.sequenceId);
  const inner = sizeOfField(1, source.byteLength) + sizeOfInteger(2, span.offset) + sizeOfInteger(3, span.length);
  return { field, span, source, inner };
}

function writeDatum(writer: ProtoWriter, { chunks, tensors, spans, size }: MeasuredDatum): void {
  writer.header(3, size);
  for (const { chunk, size: chunkSize } of chunks) {
    writer.header(1, chunkSize);
    writeChunk(writer, chunk);
  }
  for (const measured of tensors) writeTensor(writer, measured);
  for (const { field, span, source, inner } of spans) {
    writer.header(field, sizeOfField(1, inner));
    writer.header(span.from === 'prompt' ? 1 : 2, inner);
    writer.field(1, source);
    writer.integer(2, span.offset);
    writer.integer(3, span.length);
  }
}

function writeTensor(
  writer: ProtoWriter,
  { name, tensor, shapeSize, encodingSize, size, entrySize }: MeasuredTensor,
): void {
  writer.header(2, entrySize);
  writer.field(1, name);
  writer.header(2, size);
  if (tensor.sparse === undefined) {
    writer.header(1, encodingSize);
    writeValues(writer, tensor.data);
  } else {
    writer.header(2, encodingSize);
    writer.header(1, wireBytes(tensor.data));
    writeValues(writer, tensor.data);
    writer.field(2, memoryOf(tensor.sparse.rowOffsets));
    writer.field(3, memoryOf(tensor.sparse.columns));
  }
  writer.integer(3, dtypeOf(tensor.data));
  if (shapeSize === 0) return;
  writer.header(4, shapeSize);
  for (const dimension of tensor.shape) writer.varint(dimension);
}

function writeValues(writer: ProtoWriter, values: TensorData): void {
  if (values instanceof Int32Array) writer.widenedInt32(values);
  else writer.raw(memoryOf(values));
}

function sizeOfChunk(chunk: InputChunk): number {
  return sizeOfField(chunkField(chunk), sizeOfChunkContent(chunk));
}

function sizeOfChunkContent(chunk: InputChunk): number {
  switch (chunk.type) {
    case 'encoded_text':
      return sizeOfField(1, chunk.tokens.byteLength);
    case 'image':
      return (
        sizeOfField(1, chunk.data.byteLength) +
        sizeOfField(2, encodeName(chunk.format).byteLength) +
        (chunk.expectedTokens === undefined ? 0 : 1 + sizeOfVarint(chunk.expectedTokens))
      );
    case 'dmel':
      return sizeOfField(1, chunk.dmel.byteLength);
    case 'image_asset_pointer':
      throw new TinkerValidationError({
        operation: 'forward_backward',
        fields: [
          { field: 'chunks', reason: 'hold an image_asset_pointer, which can be sampled from but not trained on' },
        ],
      });
  }
}

function chunkField(chunk: InputChunk): number {
  if (chunk.type === 'encoded_text') return 1;
  return chunk.type === 'dmel' ? 3 : 2;
}

function writeChunk(writer: ProtoWriter, chunk: InputChunk): void {
  writer.header(chunkField(chunk), sizeOfChunkContent(chunk));
  if (chunk.type === 'encoded_text') writer.field(1, memoryOf(chunk.tokens));
  else if (chunk.type === 'dmel') writer.field(1, chunk.dmel);
  else if (chunk.type === 'image') {
    writer.field(1, chunk.data);
    writer.field(2, encodeName(chunk.format));
    if (chunk.expectedTokens === undefined) return;
    // The field tells zero from absent, so it is written also when it is zero.
    writer.tag(3, 0);
    writer.varint(chunk.expectedTokens);
  }
}

interface Entry {
  size: number;
  write: (writer: ProtoWriter) => void;
}

/** Numbers go to the old map (field 5) and the new one (field 7), text to the new one alone. */
function encodeConfig(config: LossConfig): { number: Entry | undefined; text: Entry }[] {
  return Object.entries(config).map(([key, value]) => {
    const name = encoder.encode(key);
    if (typeof value === 'number') {
      const plain = sizeOfField(1, name.byteLength) + 9;
      const nested = sizeOfField(1, name.byteLength) + sizeOfField(2, 9);
      return {
        number: {
          size: sizeOfField(5, plain),
          write: (writer) => {
            writer.header(5, plain);
            writer.field(1, name);
            writer.double(2, value);
          },
        },
        text: {
          size: sizeOfField(7, nested),
          write: (writer) => {
            writer.header(7, nested);
            writer.field(1, name);
            writer.header(2, 9);
            writer.double(1, value);
          },
        },
      };
    }
    const content = encoder.encode(value);
    const inner = sizeOfField(2, content.byteLength);
    const entry = sizeOfField(1, name.byteLength) + sizeOfField(2, inner);
    return {
      number: undefined,
      text: {
        size: sizeOfField(7, entry),
        write: (writer) => {
          writer.header(7, entry);
          writer.field(1, name);
          writer.header(2, inner);
          writer.field(2, content);
        },
      },
    };
  });
}

const dtypeOf = (data: TensorData): number => (data instanceof Float32Array ? DTYPES.float32 : DTYPES.int64);

/** Int32 values leave as int64. */
const wireBytes = (data: TensorData): number => (data instanceof Int32Array ? data.length * 8 : data.byteLength);

const memoryOf = (data: ArrayBufferView): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function encodeName(name: string): Uint8Array {
  const known = encodedNames.get(name);
  if (known !== undefined) return known;
  const encoded = encoder.encode(name);
  if (encodedNames.size < MAX_ENCODED_NAMES) encodedNames.set(name, encoded);
  return encoded;
}
