import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TinkerProtocolError } from '../errors/client-errors.ts';
import { encodeFields, encodeForwardBackwardOutput, encodeSampleResult } from '../testing/server-codec.fixture.ts';
import { decodeForwardBackwardOutput } from './decode-forward-backward.ts';
import { decodeSampleResult } from './decode-sample-result.ts';
import { forwardBackwardOutputFromJson, forwardBackwardToJson } from './json-forward-backward.ts';
import { sampleResultFromJson } from './json-sample-result.ts';
import { tensorFromJson, tensorToJson } from './json-tensor.ts';
import type { RawSampleResult } from './sample-result.ts';
import { DTYPES } from './tensor.ts';

const fromHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/** Both written by google.protobuf 7.36.2 with the messages of tinker 0.25.0. */
const PASS_GOLDEN =
  '0a1074696e6b65722e74797065733a4f75741269122d0a0369647312260a0807000000f8ffffff1218000000000000000004000000000000000800' +
  '000000000000180312360a086c6f6770726f6273122a0a0c000080bf000000c0000040c01218000000000000000008000000000000000c00000000' +
  '00000018011802122a12260a086c6f6770726f6273121a0a04803f00c0121000000000000000000400000000000000180418011a130a086c6f7373' +
  '3a73756d11000000000000f83f1a0f0a047a65726f110000000000000000';
const SAMPLE_GOLDEN =
  '0a160801120805000000060000001a08000000bf000080be0a0612040900000012080000c07f000080bf1a28' +
  '0a10010000000200000003000000000000001210000080bf000000c0000040c0804fc3c7180220022003';

test('a pass result of the Python library is read, its records joined and its integers and bfloat16 widened', () => {
  const { outputType, outputs, metrics } = decodeForwardBackwardOutput(fromHex(PASS_GOLDEN));
  expect([outputType, metrics]).toEqual(['Out', { 'loss:sum': 1.5, zero: 0 }]);
  expect(outputs.map(({ logprobs }) => logprobs!.data)).toEqual([
    Float32Array.of(-1, -2),
    Float32Array.of(-3),
    Float32Array.of(1, -2),
  ]);
  expect(outputs.map(({ ids }) => ids?.data)).toEqual([BigInt64Array.of(7n), BigInt64Array.of(-8n), undefined]);
});

test('a sample result of the Python library is read', () => {
  expect(decodeSampleResult(fromHex(SAMPLE_GOLDEN))).toEqual({
    sequences: [
      { tokens: Int32Array.of(5, 6), logprobs: Float32Array.of(-0.5, -0.25), stopReason: 'length', topk: undefined },
      { tokens: Int32Array.of(9), logprobs: undefined, stopReason: 'stop', topk: undefined },
    ],
    promptLogprobs: Float32Array.of(Number.NaN, -1),
    topkPrompt: { k: 2, length: 2, tokens: Int32Array.of(1, 2, 3, 0), logprobs: Float32Array.of(-1, -2, -3, -99_999) },
    targetPromptLogprobs: undefined,
    promptAlternatives: undefined,
    promptCacheHitTokens: 3,
  });
});

const topks = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 4 })).chain(([k, length]) =>
  fc.record({
    k: fc.constant(k),
    length: fc.constant(length),
    tokens: fc.int32Array({ minLength: k * length, maxLength: k * length }),
    logprobs: fc.float32Array({ minLength: k * length, maxLength: k * length }),
  }),
);
const tensor = fc.float32Array({ minLength: 4, maxLength: 4 }).map((data) => ({ data, shape: [2, 2] }));
const samples: fc.Arbitrary<RawSampleResult> = fc.record({
  sequences: fc.array(
    fc.record({
      tokens: fc.int32Array(),
      logprobs: fc.option(fc.float32Array(), { nil: undefined }),
      stopReason: fc.constantFrom('stop' as const, 'length' as const),
      topk: fc.option(topks, { nil: undefined }),
    }),
    { maxLength: 4 },
  ),
  promptLogprobs: fc.option(fc.float32Array(), { nil: undefined }),
  topkPrompt: fc.option(topks, { nil: undefined }),
  targetPromptLogprobs: fc.option(tensor, { nil: undefined }),
  promptAlternatives: fc.option(
    fc.record({
      tokens: fc.bigInt64Array({ minLength: 2, maxLength: 2 }).map((data) => ({ data, shape: [2, 1] })),
      logprobs: tensor,
    }),
    { nil: undefined },
  ),
  promptCacheHitTokens: fc.nat(),
});

test('any sample result is read as it was written', () => {
  fc.assert(
    fc.property(samples, (result) => {
      expect(decodeSampleResult(encodeSampleResult(result))).toEqual(result);
    }),
  );
});

test('any pass result is cut at its offsets, whatever the datums’ lengths', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.float32Array({ maxLength: 6 }), { maxLength: 5 }), { maxLength: 3 }),
      (records) => {
        const bytes = encodeForwardBackwardOutput({
          outputType: 'a:b:T',
          metrics: { 'x:mean': 1 },
          records: records.map((rows) => ({
            datums: rows.length,
            fields: {
              logprobs: {
                bytes: new Uint8Array(Float32Array.from(rows.flatMap((row) => [...row])).buffer),
                dtype: DTYPES.float32,
                lengths: rows.map(({ length }) => length),
              },
            },
          })),
        });
        const { outputs, outputType } = decodeForwardBackwardOutput(bytes);
        expect(outputType).toBe('T');
        expect(outputs.map(({ logprobs }) => logprobs!.data)).toEqual(records.flat());
      },
    ),
  );
});

test('rows of a matrix keep their shape', () => {
  const field = {
    bytes: new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer),
    dtype: DTYPES.float32,
    lengths: [4, 2],
    trailingShape: [2],
  };
  const { outputs } = decodeForwardBackwardOutput(
    encodeForwardBackwardOutput({ outputType: '', metrics: {}, records: [{ datums: 2, fields: { pair: field } }] }),
  );
  expect(outputs.map(({ pair }) => pair!.shape)).toEqual([
    [2, 2],
    [1, 2],
  ]);
});

test('bytes that are no message are an error with a name, never anything else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const decode of [decodeForwardBackwardOutput, decodeSampleResult]) {
        try {
          decode(bytes);
        } catch (error) {
          expect(TinkerProtocolError.isInstance(error)).toBe(true);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('every prefix of a message is read or refused, and unknown fields are stepped over', () => {
  const bytes = fromHex(SAMPLE_GOLDEN);
  for (let length = 0; length < bytes.length; length += 1) {
    try {
      decodeSampleResult(bytes.subarray(0, length));
    } catch (error) {
      expect(TinkerProtocolError.isInstance(error)).toBe(true);
    }
  }
  const extra = encodeFields([
    { field: 99, integer: 2 ** 52 },
    { field: 98, double: 1 },
    { field: 97, bytes },
  ]);
  expect(decodeSampleResult(new Uint8Array([...extra, ...bytes]))).toEqual(decodeSampleResult(bytes));
});

test.each([
  ['offsets of another number', [1, 1], 3],
  ['data that is too short', [2, 1], 2],
])('%s are refused', (_what, lengths, datums) => {
  const field = { bytes: new Uint8Array(4), dtype: DTYPES.float32, lengths };
  const bytes = encodeForwardBackwardOutput({
    outputType: '',
    metrics: {},
    records: [{ datums, fields: { logprobs: field } }],
  });
  expect(() => decodeForwardBackwardOutput(bytes)).toThrow(/logprobs/);
});

test('JSON results are read with null and NaN where nothing is defined', () => {
  const result = sampleResultFromJson({
    sequences: [
      {
        tokens: [1, 2],
        logprobs: [-1, null],
        stop_reason: 'length',
        topk_logprobs: [
          [
            [5, -1],
            [6, -2],
          ],
          null,
        ],
      },
    ],
    prompt_logprobs: [null, -0.5, 'NaN'],
  });
  expect(result.promptLogprobs).toEqual(Float32Array.of(Number.NaN, -0.5, Number.NaN));
  expect(result.sequences[0]).toMatchObject({
    tokens: Int32Array.of(1, 2),
    logprobs: Float32Array.of(-1, Number.NaN),
    stopReason: 'length',
  });
  expect(result.sequences[0]!.topk).toEqual({
    k: 2,
    length: 2,
    tokens: Int32Array.of(5, 6, 0, 0),
    logprobs: Float32Array.of(-1, -2, -99_999, -99_999),
  });
  expect(() => sampleResultFromJson({ sequences: [{ tokens: ['x'] }] })).toThrow(/32-bit/);
  expect(() => sampleResultFromJson(null)).toThrow(/sequences/);
});

test('a JSON pass result is read, and null is an empty one', () => {
  expect(forwardBackwardOutputFromJson(null)).toEqual({ outputType: '', outputs: [], metrics: {} });
  const output = forwardBackwardOutputFromJson({
    loss_fn_output_type: 'a:Scalar',
    loss_fn_outputs: [{ logprobs: { data: [-1, null], dtype: 'float32', shape: [2] } }],
    metrics: { 'loss:sum': null, name: 'text' },
  });
  expect(output.outputs[0]!['logprobs']!.data).toEqual(Float32Array.of(-1, Number.NaN));
  expect(output.metrics).toEqual({ 'loss:sum': Number.NaN });
});

test('a tensor survives its JSON form', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.float32Array({ noNaN: true, noDefaultInfinity: true }),
        fc.bigInt64Array({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }),
      ),
      (data) => {
        const json: unknown = JSON.parse(JSON.stringify(tensorToJson(data)));
        // JSON has no negative zero.
        const wanted = data instanceof Float32Array ? data.map((value) => value + 0) : data;
        expect(tensorFromJson(json, 'x').data).toEqual(wanted);
      },
    ),
  );
  const sparse = { rowOffsets: BigInt64Array.of(0n, 1n), columns: BigInt64Array.of(3n) };
  expect(tensorFromJson(tensorToJson({ data: Float32Array.of(2), shape: [1, 9], sparse }), 'x')).toEqual({
    data: Float32Array.of(2),
    shape: [1, 9],
    sparse,
  });
});

test('the JSON form of a pass has its own address for forward alone', () => {
  const datum = { tokens: Int32Array.of(1), inputs: { weights: Float32Array.of(1) } };
  const request = { modelId: 'm', seqId: 1, datums: [datum], loss: 'cross_entropy' };
  expect(Object.keys(forwardBackwardToJson(request))).toContain('forward_backward_input');
  expect(Object.keys(forwardBackwardToJson({ ...request, forwardOnly: true }))).toContain('forward_input');
});
