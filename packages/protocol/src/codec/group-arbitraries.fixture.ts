import fc from 'fast-check';

import type { EncodableGroup, FloatValues, IntValues, Nested, Ragged } from './group-payload.ts';

/** Integers of every width, in every array type that can hold them. */
const intKinds = [
  { max: 0xffff, min: 0, make: (values: number[]): IntValues => Uint16Array.from(values) },
  { max: 0xffff_ffff, min: 0, make: (values: number[]): IntValues => Uint32Array.from(values) },
  { max: 0x7fff_ffff, min: -0x8000_0000, make: (values: number[]): IntValues => Int32Array.from(values) },
  {
    max: Number.MAX_SAFE_INTEGER,
    min: Number.MIN_SAFE_INTEGER,
    make: (values: number[]): IntValues => Float64Array.from(values),
  },
] as const;

const ints = (length: number): fc.Arbitrary<IntValues> =>
  fc.constantFrom(...intKinds).chain(({ min, max, make }) =>
    fc
      .array(
        fc.oneof(
          fc.integer({ min: Math.max(min, -100), max: Math.min(max, 200_000) }),
          fc.maxSafeInteger().map((value) => Math.min(max, Math.max(min, value)) + 0),
          fc.constantFrom(min, max),
        ),
        { minLength: length, maxLength: length },
      )
      .map(make),
  );

const oddFloats = fc.constantFrom(Number.NaN, -0, 0, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, 0.1);

const floats = (length: number): fc.Arbitrary<FloatValues> => {
  const sized = { minLength: length, maxLength: length };
  return fc.oneof(
    fc.array(fc.oneof(fc.float(), oddFloats.map(Math.fround)), sized).map((values) => Float32Array.from(values)),
    fc.array(fc.oneof(fc.float(), oddFloats.map(Math.fround)), sized).map((values) => Float64Array.from(values)),
    fc.array(fc.oneof(fc.double(), oddFloats), sized).map((values) => Float64Array.from(values)),
  );
};

const sum = (lengths: Iterable<number>): number => [...lengths].reduce((total, length) => total + length, 0);

const rows = (max: number): fc.Arbitrary<Uint32Array> =>
  fc.array(fc.nat({ max }), { maxLength: 6 }).map((lengths) => Uint32Array.from(lengths));

/** Mostly the rows of the tokens, sometimes others. */
const rowsLike = (tokenRows: Uint32Array): fc.Arbitrary<Uint32Array> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(tokenRows.slice()) }, { weight: 1, arbitrary: rows(9) });

const ragged = <V>(tokenRows: Uint32Array, values: (length: number) => fc.Arbitrary<V>): fc.Arbitrary<Ragged<V>> =>
  rowsLike(tokenRows).chain((rowLengths) => values(sum(rowLengths)).map((made) => ({ values: made, rowLengths })));

const nested = <V>(tokenRows: Uint32Array, values: (length: number) => fc.Arbitrary<V>): fc.Arbitrary<Nested<V>> =>
  rowsLike(tokenRows).chain((rowLengths) => {
    const items = sum(rowLengths);
    return fc
      .oneof(
        fc.constant(Array<number>(items).fill(2)),
        fc.array(fc.nat({ max: 4 }), { minLength: items, maxLength: items }),
      )
      .chain((itemLengths) =>
        values(sum(itemLengths)).map((made) => ({
          values: made,
          itemLengths: Uint32Array.from(itemLengths),
          rowLengths,
        })),
      );
  });

/** A mask as Atropos makes it, or any integers. */
const masksOf = (tokens: Ragged<IntValues>): fc.Arbitrary<Ragged<IntValues>> => {
  const { length } = tokens.values;
  const usual = fc.array(fc.boolean(), { minLength: length, maxLength: length }).map((trained) => ({
    values: Float64Array.from(tokens.values, (token, index) => (trained[index] ? token : -100)),
    rowLengths: tokens.rowLengths.slice(),
  }));
  return fc.oneof(usual, ragged(tokens.rowLengths, ints));
};

const u32 = fc.nat({ max: 0xffff_ffff });
const bytes = fc.uint8Array({ maxLength: 40 });
const some = { requiredKeys: [] };

const header = fc.record(
  {
    group_id: fc.uuid(),
    rollout_ids: fc.array(fc.uuid(), { maxLength: 3 }),
    env_id: fc.option(fc.nat()),
    environment: fc.string(),
    environment_digest: fc.string(),
    verifier_digest: fc.string(),
    split: fc.constantFrom('train' as const, 'eval' as const),
    consent: fc.string(),
    outcome: fc.constantFrom('scored' as const, 'failed' as const, 'abstained' as const),
    reason: fc.string(),
  },
  some,
);

/** Any group the codec must carry, sensible or not. */
export const groupArbitrary: fc.Arbitrary<EncodableGroup> = rows(20)
  .chain((rowLengths) => ints(sum(rowLengths)).map((values) => ({ values, rowLengths })))
  .chain((tokens) =>
    fc.tuple(
      fc.record({
        header,
        tokens: fc.constant(tokens),
        masks: masksOf(tokens),
        scores: fc.oneof(fc.constant(tokens.rowLengths.length), fc.nat({ max: 5 })).chain(floats),
      }),
      fc.record(
        {
          advantages: ragged(tokens.rowLengths, floats),
          refLogprobs: ragged(tokens.rowLengths, floats),
          inferenceLogprobs: ragged(tokens.rowLengths, floats),
          distillTokenIds: nested(tokens.rowLengths, ints),
          distillLogprobs: nested(tokens.rowLengths, floats),
          policyRanges: fc
            .array(fc.tuple(u32, u32, u32, u32), { maxLength: 4 })
            .map((quads) => Uint32Array.from(quads.flat())),
          json: fc.record(
            { messages: bytes, overrides: bytes, group_overrides: bytes, generation_params: bytes, images: bytes },
            some,
          ),
          rawNumbers: fc.record({ tokens: bytes, masks: bytes, distill_token_ids: bytes }, some),
          wire: fc.record({ deflated: bytes, crc32: u32, inflatedBytes: u32 }),
        },
        some,
      ),
    ),
  )
  .map(([required, optional]) => ({ ...required, ...optional }));
