import { ProtoReader } from './proto-reader.ts';
import type { RawSampleResult, RawSequence, TopkLogprobs } from './sample-result.ts';
import { DTYPES, readFloat32, readInt32, readTensorData } from './tensor.ts';
import type { Tensor } from './tensor.ts';

/** Decodes a protobuf `SampleResponse` into typed arrays. */
export function decodeSampleResult(bytes: Uint8Array): RawSampleResult {
  const result: RawSampleResult = {
    sequences: [],
    promptLogprobs: undefined,
    topkPrompt: undefined,
    targetPromptLogprobs: undefined,
    promptAlternatives: undefined,
    promptCacheHitTokens: 0,
  };
  const reader = new ProtoReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) result.sequences.push(readSequence(reader.message()));
    else if (reader.field === 2) result.promptLogprobs = readFloat32(reader.bytes());
    else if (reader.field === 3) result.topkPrompt = readTopk(reader.message());
    else if (reader.field === 4) result.promptCacheHitTokens = reader.integer();
    else if (reader.field === 5) result.targetPromptLogprobs = readTensor(reader.message());
    else if (reader.field === 6) result.promptAlternatives = readAlternatives(reader.message());
    else reader.skip();
  }
  return result;
}

function readSequence(reader: ProtoReader): RawSequence {
  const sequence: RawSequence = { tokens: new Int32Array(0), logprobs: undefined, stopReason: 'stop', topk: undefined };
  while (reader.next()) {
    if (reader.field === 1) sequence.stopReason = reader.integer() === 1 ? 'length' : 'stop';
    else if (reader.field === 2) sequence.tokens = readInt32(reader.bytes());
    else if (reader.field === 3) sequence.logprobs = readFloat32(reader.bytes());
    else if (reader.field === 4) sequence.topk = readTopk(reader.message());
    else reader.skip();
  }
  return sequence;
}

function readTopk(reader: ProtoReader): TopkLogprobs {
  const topk: TopkLogprobs = { k: 0, length: 0, tokens: new Int32Array(0), logprobs: new Float32Array(0) };
  while (reader.next()) {
    if (reader.field === 1) topk.tokens = readInt32(reader.bytes());
    else if (reader.field === 2) topk.logprobs = readFloat32(reader.bytes());
    else if (reader.field === 3) topk.k = reader.integer();
    else if (reader.field === 4) topk.length = reader.integer();
    else reader.skip();
  }
  return topk;
}

function readTensor(reader: ProtoReader): Tensor {
  let values: Uint8Array = new Uint8Array(0);
  let sparse: Tensor['sparse'];
  let dtype: number = DTYPES.float32;
  const shape: number[] = [];
  while (reader.next()) {
    if (reader.field === 1) values = reader.bytes();
    else if (reader.field === 2) {
      const inner = reader.message();
      const places = { rowOffsets: new BigInt64Array(0), columns: new BigInt64Array(0) };
      while (inner.next()) {
        if (inner.field === 1) values = inner.bytes();
        else if (inner.field === 2)
          places.rowOffsets = readTensorData(inner.bytes(), DTYPES.int64) as BigInt64Array<ArrayBuffer>;
        else if (inner.field === 3)
          places.columns = readTensorData(inner.bytes(), DTYPES.int64) as BigInt64Array<ArrayBuffer>;
        else inner.skip();
      }
      sparse = places;
    } else if (reader.field === 3) dtype = reader.integer();
    else if (reader.field === 4) reader.integers(shape);
    else reader.skip();
  }
  const data = readTensorData(values, dtype);
  return { data, shape: shape.length === 0 ? [data.length] : shape, ...(sparse === undefined ? {} : { sparse }) };
}

function readAlternatives(reader: ProtoReader): RawSampleResult['promptAlternatives'] {
  let [tokens, logprobs]: (Tensor | undefined)[] = [];
  while (reader.next()) {
    if (reader.field === 1) tokens = readTensor(reader.message());
    else if (reader.field === 2) logprobs = readTensor(reader.message());
    else reader.skip();
  }
  return tokens === undefined || logprobs === undefined ? undefined : { tokens, logprobs };
}
