import { expect, test } from 'vitest';

import { groupHeaderSchema } from '../codec/group-header.ts';
import type { GroupPayload } from '../codec/group-payload.ts';
import { checkGroup } from './check-group.ts';

const limits = { maxSequences: 4, maxTokensPerSequence: 8 };
const rowLengths = Uint32Array.of(2, 3);
const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const good: GroupPayload = {
  header: groupHeaderSchema.parse({}),
  tokens: { values: Uint32Array.of(1, 2, 3, 4, 5), rowLengths },
  masks: { values: Int32Array.of(-100, 2, -100, 4, 5), rowLengths },
  scores: Float64Array.of(1, 0),
  advantages: { values: Float32Array.of(0, 1, 0, 1, 1), rowLengths },
  refLogprobs: { values: Float32Array.of(1, -1, 1, -1, -1), rowLengths },
  inferenceLogprobs: { values: Float64Array.of(1, -0.1, 1, -0.1, -0.1), rowLengths },
  distillTokenIds: {
    values: Uint16Array.of(1, 2, 3, 4, 5, 6),
    itemLengths: Uint32Array.of(1, 1, 1, 1, 2),
    rowLengths,
  },
  distillLogprobs: {
    values: Float32Array.of(-1, -1, -1, -1, -1, -1),
    itemLengths: Uint32Array.of(1, 1, 1, 1, 2),
    rowLengths,
  },
  policyRanges: Uint32Array.of(0, 0, 2, 7, 1, 2, 3, 8, 1, 0, 2, 7),
  json: {
    messages: text([[{ role: 'user', content: null }], []]),
    overrides: text([{}, {}]),
    group_overrides: text({}),
    generation_params: text({ temperature: 1 }),
    images: text(null),
  },
};

/** The issues of the good group with a change, one line each. */
const faults = (change: Partial<GroupPayload>, options = limits): string[] =>
  checkGroup({ ...good, ...change }, options).map(({ sequence, field, message }) => `${sequence} ${field} ${message}`);

test('a good group has no issue', () => {
  expect(faults({})).toEqual([]);
});

test('a minimal group has no issue', () => {
  const { header, tokens, masks, scores } = good;
  expect(checkGroup({ header, tokens, masks, scores }, limits)).toEqual([]);
});

test('sequences and tokens are bounded', () => {
  const many = { values: new Uint16Array(5), rowLengths: new Uint32Array(5).fill(1) };
  expect(faults({ tokens: many })).toEqual(['null tokens has 5 sequences, more than 4']);
  expect(faults({}, { maxSequences: 4, maxTokensPerSequence: 2 })).toEqual(['1 tokens has 3 tokens, more than 2']);
});

test('a scored group needs sequences with tokens', () => {
  const { header } = good;
  const none = { values: new Uint16Array(), rowLengths: new Uint32Array() };
  const bare = { header, tokens: none, masks: none, scores: new Float32Array() };
  expect(checkGroup(bare, limits)).toEqual([{ sequence: null, field: 'tokens', message: 'has no sequence' }]);
  const hollow = { values: new Uint16Array(1), rowLengths: Uint32Array.of(1, 0) };
  expect(checkGroup({ header, tokens: hollow, masks: hollow, scores: Float32Array.of(1, 1) }, limits)).toEqual([
    { sequence: 1, field: 'tokens', message: 'is empty' },
  ]);
});

test('a failed group has no score', () => {
  const header = { ...good.header, outcome: 'failed' as const };
  expect(faults({ header })).toEqual(['null scores has 2 entries for a group whose outcome is failed']);
  expect(faults({ header, scores: new Float32Array() })).toEqual([]);
});

test('a field with other lengths than the tokens is named with its sequence', () => {
  const short = Uint32Array.of(2, 2);
  expect(faults({ masks: { values: new Int32Array(4), rowLengths: short } })).toEqual([
    '1 masks has 2 entries for 3 tokens',
  ]);
  const ragged = { values: new Float32Array(4), rowLengths: short };
  expect(faults({ advantages: ragged, refLogprobs: ragged, inferenceLogprobs: ragged })).toEqual([
    '1 advantages has 2 entries for 3 tokens',
    '1 ref_logprobs has 2 entries for 3 tokens',
    '1 inference_logprobs has 2 entries for 3 tokens',
  ]);
  expect(faults({ masks: { values: new Int32Array(2), rowLengths: Uint32Array.of(2) } })).toEqual([
    'null masks has 1 rows for 2 sequences',
  ]);
});

test('numbers that are not finite are named with their position', () => {
  expect(faults({ scores: Float64Array.of(1, Number.NaN) })).toEqual(['1 scores is not finite']);
  expect(faults({ scores: Float64Array.of(1) })).toEqual(['null scores has 1 entries for 2 sequences']);
  const values = Float64Array.of(0, 0, 0, Infinity, Number.NaN);
  expect(faults({ inferenceLogprobs: { values, rowLengths } })).toEqual([
    '1 inference_logprobs is not finite at position 1',
  ]);
});

test('a token is an integer of the vocabulary', () => {
  const tokens = (...values: number[]) => faults({ tokens: { values: Float64Array.from(values), rowLengths } });
  expect(tokens(1, -1, 3, 4, 5)).toEqual(['0 tokens is not an integer of 0 or more at position 1']);
  expect(tokens(1, 2, 3, 4, 1.5)).toEqual(['1 tokens is not an integer of 0 or more at position 2']);
  expect(tokens(1, 2, 2 ** 32 - 1, 4, 5)).toEqual([]);
  expect(tokens(1, 2, 2 ** 32, 4, 5)).toEqual(['1 tokens is not below 4294967296 at position 0']);
  expect(faults({}, { ...limits, ...{ vocabulary: 5 } })).toEqual([
    '1 tokens is not below 5 at position 2',
    '1 distill_token_ids is not below 5 at position 2',
  ]);
});

test('integers beyond 2^53 and a wire block of the sender are refused', () => {
  expect(faults({ rawNumbers: { masks: text([[1]]) } })).toEqual(['null masks holds an integer beyond 2^53']);
  expect(faults({ wire: { deflated: new Uint8Array(), crc32: 0, inflatedBytes: 0 } })).toEqual([
    'null wire is written by the server and must be left out',
  ]);
});

test('rollout ids are none or one per sequence', () => {
  const id = '018bcfe5-6800-7000-8000-000000000001';
  expect(faults({ header: { ...good.header, rollout_ids: [id] } })).toEqual([
    'null rollout_ids has 1 entries for 2 sequences',
  ]);
});

test('sequences of one rollout have one score', () => {
  const id = '018bcfe5-6800-7000-8000-000000000001';
  const header = { ...good.header, rollout_ids: [id, id] };
  expect(faults({ header, scores: Float64Array.of(0.5, 0.5) })).toEqual([]);
  expect(faults({ header, scores: Float64Array.of(0.5, 1) })).toEqual([
    '1 scores is another than that of sequence 0, which has the same rollout id',
  ]);
});

test('distilled candidates come in pairs of ids and logprobs', () => {
  const { distillLogprobs: _, ...single } = good;
  expect(checkGroup(single, limits)).toEqual([
    { sequence: null, field: 'distill_logprobs', message: 'is missing although its partner is there' },
  ]);
  const logprobs = good.distillLogprobs!;
  expect(faults({ distillLogprobs: { ...logprobs, itemLengths: Uint32Array.of(2, 1, 1, 1, 1) } })).toEqual([
    'null distill_logprobs has other numbers of candidates than distill_token_ids',
  ]);
  expect(faults({ distillLogprobs: { ...logprobs, values: Float32Array.of(0, 0, 0, 0, Number.NaN, 0) } })).toEqual([
    '1 distill_logprobs is not finite at position 2',
  ]);
});

test('policy ranges lie inside their sequence and do not overlap', () => {
  const ranges = (...quads: number[]) => faults({ policyRanges: Uint32Array.from(quads) });
  expect(ranges(2, 0, 1, 7)).toEqual(['null policy_ranges names sequence 2 of 2']);
  expect(ranges(0, 1, 1, 7)).toEqual(['0 policy_ranges range 1 to 1 is empty']);
  expect(ranges(0, 1, 3, 7)).toEqual(['0 policy_ranges range 1 to 3 reaches beyond 2 tokens']);
  expect(ranges(1, 1, 3, 7, 1, 0, 2, 8)).toEqual(['1 policy_ranges ranges 0 to 2 and 1 to 3 overlap']);
  expect(ranges(0, 0, 2, 7, 1, 0, 3, 7)).toEqual([]);
  expect(ranges()).toEqual([]);
});

test('JSON fields have their shape', () => {
  const json = (change: GroupPayload['json']) => faults({ json: { ...good.json, ...change } });
  expect(json({ messages: text({}) })).toEqual(['null messages is not a list']);
  expect(json({ messages: text([[]]) })).toEqual(['null messages has 1 entries for 2 sequences']);
  expect(json({ messages: text([[], [{ role: 'user' }]]) })).toEqual(['1 messages message 0 lacks role or content']);
  expect(json({ messages: text([[], ['hi']]) })).toEqual(['1 messages message 0 is not an object']);
  expect(json({ messages: text([null, []]) })).toEqual(['0 messages is not a list of messages']);
  expect(json({ overrides: text([{}, null]) })).toEqual(['1 overrides is not an object']);
  expect(json({ group_overrides: text([]), generation_params: text(1) })).toEqual([
    'null group_overrides is not an object',
    'null generation_params is not an object',
  ]);
  expect(json({ images: Uint8Array.of(0xff), messages: new TextEncoder().encode('[[],') })).toEqual([
    'null messages is not JSON text',
    'null images is not JSON text',
  ]);
});

test('a hopeless group gets no more than fifty issues', () => {
  const wide = { maxSequences: 1000, maxTokensPerSequence: 8 };
  const rows = new Uint32Array(1000).fill(1);
  const values = new Float64Array(1000).fill(-1);
  const tokens = { values, rowLengths: rows };
  expect(faults({ tokens, scores: new Float64Array(1000).fill(Number.NaN) }, wide)).toHaveLength(50);
});
