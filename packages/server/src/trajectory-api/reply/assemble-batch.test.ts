import { gunzipSync } from 'node:zlib';
import { decodeGroup, encodeGroup } from '@lachesis/protocol/codec';
import type { EncodableGroup } from '@lachesis/protocol/codec';
import { describe, expect, test } from 'vitest';
import { expectGroup, ingestText, readCanonical, writeBody } from '../ingest/reference.fixture.ts';
import { assembleBatch } from './assemble-batch.ts';
import { GroupNotFiniteError, renderGroup } from './render-group.ts';

const atropos = (fields: Record<string, string>): Uint8Array => expectGroup(ingestText(writeBody(fields))).payload;
const join = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

const native: EncodableGroup = {
  header: { env_id: 2 },
  tokens: { values: Uint32Array.of(7, 8, 9), rowLengths: Uint32Array.of(2, 1) },
  masks: { values: Int32Array.of(-100, 8, 9), rowLengths: Uint32Array.of(2, 1) },
  scores: Float64Array.of(1, -0.5),
  inferenceLogprobs: { values: Float64Array.of(1, -1e-7, -0), rowLengths: Uint32Array.of(2, 1) },
  distillTokenIds: {
    values: Uint32Array.of(1, 2, 3),
    itemLengths: Uint32Array.of(2, 0, 1),
    rowLengths: Uint32Array.of(2, 1),
  },
  json: { generation_params: new TextEncoder().encode('{"temperature": 1.0}') },
};
const nativeText =
  '{"tokens":[[7,8],[9]],"masks":[[-100,8],[9]],"scores":[1.0,-0.5],"advantages":null,"ref_logprobs":null,"messages":null,' +
  '"generation_params":{"temperature": 1.0},"inference_logprobs":[[1.0,-1e-7],[-0.0]],"overrides":null,"group_overrides":null,' +
  '"images":null,"env_id":2,"distill_token_ids":[[[1,2],[]],[[3]]],"distill_logprobs":null}';

describe('a batch', () => {
  const payloads = [atropos({ scores: '[1]' }), encodeGroup(native), atropos({ images: `"${'x'.repeat(2000)}"` })];
  const expected = `{"batch":[${readCanonical(payloads[0]!)},${nativeText},${readCanonical(payloads[2]!)}]}`;

  test('is the same text with and without gzip', () => {
    const plain = assembleBatch({ payloads, acceptsGzip: false });
    const gzip = assembleBatch({ payloads, acceptsGzip: true });
    expect([plain.contentEncoding, gzip.contentEncoding]).toEqual([null, 'gzip']);
    expect(join(plain.chunks)).toBe(expected);
    expect(gunzipSync(Buffer.concat(gzip.chunks)).toString()).toBe(expected);
    for (const { chunks, contentLength } of [plain, gzip]) expect(Buffer.concat(chunks).length).toBe(contentLength);
  });

  test('of fewer than 1000 bytes is not compressed', () => {
    const small = assembleBatch({ payloads: payloads.slice(0, 1), acceptsGzip: true });
    expect(small.contentEncoding).toBeNull();
    expect(join(assembleBatch({ payloads: [], acceptsGzip: true }).chunks)).toBe('{"batch":[]}');
  });

  test('can be one group on its own', () => {
    const group = assembleBatch({ payloads: payloads.slice(2), acceptsGzip: true, shape: 'group' });
    expect(gunzipSync(Buffer.concat(group.chunks)).toString()).toBe(readCanonical(payloads[2]!));
  });
});

describe('a group without a wire block', () => {
  test('is rendered with all keys and floats that stay floats', () => {
    expect(new TextDecoder().decode(renderGroup(decodeGroup(encodeGroup(native))))).toBe(nativeText);
  });

  test('renders to what the same group sent as JSON renders to', () => {
    const payload = atropos({
      tokens: '[[1, 2], []]',
      masks: '[[-100, 2], []]',
      advantages: '[[0.1, 2], []]',
      distill_logprobs: '[[[-1.5], []], []]',
      messages: '[[{"role":"a","content":"é"}]]',
      env_id: '9',
    });
    const { wire: _, ...group } = decodeGroup(payload);
    expect(new TextDecoder().decode(renderGroup(group))).toBe(readCanonical(payload));
  });

  test('keeps integers beyond 2^53', () => {
    const payload = atropos({ masks: '[[18446744073709551616]]', distill_token_ids: '[[[18446744073709551616]]]' });
    const { wire: _, ...group } = decodeGroup(payload);
    expect(new TextDecoder().decode(renderGroup(group))).toBe(readCanonical(payload));
  });

  test('is refused when a number is not finite', () => {
    const group = decodeGroup(encodeGroup({ ...native, scores: Float64Array.of(1, Number.NaN) }));
    let caught: unknown;
    try {
      renderGroup(group);
    } catch (error) {
      caught = error;
    }
    expect(GroupNotFiniteError.isInstance(caught) && caught.field).toBe('scores');
  });
});
