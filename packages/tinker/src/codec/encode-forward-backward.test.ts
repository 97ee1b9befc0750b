import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeForwardBackwardRequest } from '../testing/server-codec.fixture.ts';
import type { Datum, ForwardBackwardRequest } from './datum.ts';
import { encodeForwardBackward, measureDatumBytes } from './encode-forward-backward.ts';
import { toTensor, widenInt32 } from './tensor.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const int32s = fc.int32Array({ maxLength: 40 });
const tensors = fc.oneof(
  fc.float32Array({ maxLength: 40 }),
  fc.bigInt64Array({ maxLength: 40 }),
  int32s,
  fc.float32Array({ minLength: 6, maxLength: 6 }).map((data) => ({ data, shape: [2, 3] })),
  fc.bigInt64Array({ minLength: 2, maxLength: 2 }).map((data) => ({
    data,
    shape: [3, 300],
    sparse: { rowOffsets: BigInt64Array.of(0n, 1n, 2n, 2n), columns: BigInt64Array.of(4n, 299n) },
  })),
);
const spans = fc.array(
  fc.record({
    from: fc.constantFrom('prompt' as const, 'sampled' as const),
    sequenceId: fc.string(),
    offset: fc.nat(),
    length: fc.nat(),
  }),
  { minLength: 1, maxLength: 3 },
);
const datums = fc.record({
  tokens: int32s,
  inputs: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 200 }), tensors, {
    maxKeys: 4,
    noNullPrototype: true,
  }),
});
const requests: fc.Arbitrary<ForwardBackwardRequest> = fc.record({
  modelId: fc.string({ unit: 'grapheme' }),
  seqId: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  datums: fc.array(
    fc.oneof(
      datums,
      fc
        .tuple(datums, spans, spans)
        .map(([datum, input, lossInputs]): Datum => ({ ...datum, provenance: { input, lossInputs } })),
      fc
        .tuple(datums, fc.uint8Array(), fc.option(fc.nat(), { nil: undefined }))
        .map(([datum, data, expectedTokens]): Datum => ({
          ...datum,
          tokens: new Int32Array(0),
          chunks: [
            { type: 'encoded_text', tokens: datum.tokens },
            { type: 'image', data, format: 'png', ...(expectedTokens === undefined ? {} : { expectedTokens }) },
            { type: 'dmel', dmel: data },
          ],
        })),
    ),
    { maxLength: 5 },
  ),
  loss: fc.string(),
  config: fc.dictionary(fc.string(), fc.oneof(fc.double({ noNaN: true }), fc.string()), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  forwardOnly: fc.boolean(),
});

/** What a server sees: plain arrays have a shape, and 32-bit integers are 64-bit ones. */
const widened = (request: ForwardBackwardRequest): ForwardBackwardRequest => ({
  ...request,
  datums: request.datums.map((datum) => ({
    ...datum,
    inputs: Object.fromEntries(
      Object.entries(datum.inputs).map(([name, input]) => {
        const tensor = toTensor(input);
        return [name, tensor.data instanceof Int32Array ? { ...tensor, data: widenInt32(tensor.data) } : tensor];
      }),
    ),
  })),
});

test('a server reads what was written', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const { numbers, ...read } = decodeForwardBackwardRequest(encodeForwardBackward(request));
      expect(read).toEqual(widened(request));
      const wanted = Object.entries(request.config ?? {}).filter(([, value]) => typeof value === 'number');
      expect(numbers).toEqual(Object.fromEntries(wanted));
    }),
    { numRuns: 300 },
  );
});

test('the bytes are those the Python protobuf library writes', () => {
  const bytes = encodeForwardBackward({
    modelId: 'm',
    seqId: 300,
    datums: [
      {
        tokens: Int32Array.of(1, -2),
        inputs: { target_tokens: Int32Array.of(5, -1), weights: Float32Array.of(1, 0.5) },
      },
    ],
    loss: 'ppo',
    config: { clip_low_threshold: 0.8 },
    forwardOnly: true,
  });
  // The newer map of settings is field 7, which that release does not have; the rest is its output to the byte.
  const name = Buffer.from('clip_low_threshold').toString('hex');
  expect(hex(bytes)).toBe(`${GOLDEN}3a1f0a12${name}1209099a9999999999e93f`);
});

test('the size of a datum is known before it is written', () => {
  fc.assert(
    fc.property(datums, (datum) => {
      const request = { modelId: '', seqId: 0, loss: '', datums: [] };
      const empty = encodeForwardBackward(request).byteLength;
      const full = encodeForwardBackward({ ...request, datums: [datum] }).byteLength;
      return full - empty === measureDatumBytes(datum);
    }),
  );
});

test('a batch of 128 × 8,192 tokens is written well under 100 ms', () => {
  const length = 8192;
  const batch = Array.from({ length: 128 }, () => ({
    tokens: new Int32Array(length).fill(7),
    inputs: {
      target_tokens: new Int32Array(length).fill(8),
      logprobs: new Float32Array(length).fill(-1),
      advantages: new Float32Array(length).fill(1),
    },
  }));
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    encodeForwardBackward({ modelId: 'm', seqId: 1, datums: batch, loss: 'ppo' });
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(100);
});

/** Written by google.protobuf 7.36.2 with the messages of tinker 0.25.0. */
const GOLDEN =
  '0a016d10ac021a540a0c0a0a0a0801000000feffffff12280a0d7461726765745f746f6b656e7312170a100500000000000000ffffffffffffffff' +
  '1802220102121a0a0777656967687473120f0a080000803f0000003f1801220102220370706f2a1d0a12636c69705f6c6f775f7468726573686f6c' +
  '64119a9999999999e93f3001';
