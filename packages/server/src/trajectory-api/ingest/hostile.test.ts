import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inflateBody } from './inflate-body.ts';
import type { Gunzip } from './inflate-body.ts';
import { ingestBody } from './ingest-body.ts';
import { defaultIngestLimits, MAX_DEPTH } from './ingest-limits.ts';
import { expectGroup, expectRefusal, ingestText, listIssues, readField, writeBody } from './reference.fixture.ts';

const nest = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('text that is not JSON', () => {
  test.each([
    ['{"a":}', 5, 'Expecting value'],
    [' ', 1, 'Expecting value'],
    ['{"tokens":[[1,}', 14, 'Expecting value'],
    ['{"tokens":[[1 2]]}', 14, "Expecting ',' delimiter"],
    ['{"tokens":[[1', 13, "Expecting ',' delimiter"],
    ['{"tokens":[[01]]}', 13, "Expecting ',' delimiter"],
    ['{"tokens":[[1.]]}', 13, "Expecting ',' delimiter"],
    ['{"scores":[1.e5]}', 12, "Expecting ',' delimiter"],
    ['{"scores":[1.5e]}', 14, "Expecting ',' delimiter"],
    ['{"scores":[00.5]}', 12, "Expecting ',' delimiter"],
    ['{"scores":[-]}', 11, 'Expecting value'],
    ['{"scores":[.5]}', 11, 'Expecting value'],
    ['{"scores":[+1]}', 11, 'Expecting value'],
    ['{"scores":[1,]}', 13, 'Expecting value'],
    ['{"tokens":[[Nan]]}', 12, 'Expecting value'],
    ['{"é":tru}', 5, 'Expecting value'],
    ['{"a":1}x', 7, 'Extra data'],
    ['{"a":1,}', 7, 'Expecting property name enclosed in double quotes'],
    ['{"a" 1}', 5, "Expecting ':' delimiter"],
    ['{"a":"b', 5, 'Unterminated string starting at'],
    ['{"a":"\\', 5, 'Unterminated string starting at'],
    ['{"a":"\\x"}', 6, 'Invalid \\escape'],
    ['{"a":"\\u12"}', 7, 'Invalid \\uXXXX escape'],
    ['{"a":"\u0001"}', 6, 'Invalid control character at'],
    ['{"a":"\0"}', 6, 'Invalid control character at'],
    ['{"a":1\0}', 6, "Expecting ',' delimiter"],
  ])('%j fails at character %i: %s', (text, position, error) => {
    const issue = { type: 'json_invalid', loc: ['body', position], msg: 'JSON decode error', ctx: { error } };
    expect(ingestText(text)).toEqual({ kind: 'refused', status: 422, issues: [issue] });
  });

  test('every truncation of a body is refused', () => {
    const text = writeBody({
      messages: '[[{"role":"a\\u00e9","content":"b"}]]',
      advantages: '[[-1.25e-05, 1]]',
      images: 'true',
    });
    for (let length = 0; length < text.length; length++) expectRefusal(ingestText(text.slice(0, length)));
    expectGroup(ingestText(text));
  });

  test('random bytes and damaged bodies are refused or read, never thrown at', () => {
    const text = new TextEncoder().encode(
      writeBody({ scores: '[1, -2.5e-3, "5", true]', images: '{"a": ["\\ud800", null]}' }),
    );
    const damage = fc.array(fc.tuple(fc.nat(text.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.oneof(damage, fc.uint8Array()),
        fc.constantFrom('one' as const, 'list' as const),
        (change, shape) => {
          const bytes = change instanceof Uint8Array ? change : text.slice();
          if (!(change instanceof Uint8Array)) for (const [at, byte] of change) bytes[at] = byte;
          expect(['groups', 'refused']).toContain(ingestText(bytes, shape).kind);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('hostile values', () => {
  test('nesting is bounded and never overflows the stack', () => {
    const deepest = MAX_DEPTH - 1;
    expectGroup(ingestText(writeBody({ images: nest(deepest) })));
    for (const levels of [deepest + 1, 1_000_000]) {
      for (const field of ['images', 'unknown', 'tokens', 'scores', 'messages']) {
        expect(expectRefusal(ingestText(writeBody({ [field]: nest(levels) }))).status).toBe(422);
      }
    }
    expect(expectRefusal(ingestText('{"a":'.repeat(100_000))).status).toBe(422);
  });

  test('keys named after object internals are only text', () => {
    const images = '{"__proto__":{"polluted":1},"constructor":{"prototype":1}}';
    expect(readField(`{"__proto__":{"tokens":[]},"toString":1,${writeBody({ images }).slice(1)}`, 'images')).toBe(
      images,
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(listIssues(ingestText('{"__proto__": {"tokens": [[1]]}}'))).toContain('missing@body.tokens');
  });

  test('lone surrogates in escapes pass through as they are written', () => {
    expect(readField(writeBody({ images: '"\\ud800 \\uDC00"' }), 'images')).toBe('"\\ud800 \\uDC00"');
  });

  test('bytes that are not UTF-8 are unreadable', () => {
    for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
      const body = Buffer.concat([Buffer.from('{"x":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(ingestText(body)).toEqual({ kind: 'refused', status: 400, text: 'There was an error parsing the body' });
    }
  });

  test('an integer longer than Python reads is unreadable, a float is not', () => {
    expect(expectRefusal(ingestText(writeBody({ images: '1'.repeat(4301) }))).status).toBe(400);
    expectGroup(ingestText(writeBody({ images: '1'.repeat(4300) })));
    expectGroup(ingestText(writeBody({ images: `0.${'1'.repeat(5000)}` })));
  });

  test('a byte order mark is skipped', () => {
    expectGroup(ingestText(`\ufeff${writeBody({})}`));
  });
});

describe('limits', () => {
  const limits = { ...defaultIngestLimits, wireBytes: 500, inflatedBytes: 400, sequences: 2, tokensPerSequence: 3 };
  const ingest = (text: string) => ingestBody({ body: Buffer.from(text), encoding: 'identity', shape: 'one', limits });

  test.each([
    ['sequences', writeBody({ tokens: '[[],[]]' }), writeBody({ tokens: '[[],[],[]]' })],
    ['tokens per sequence', writeBody({ tokens: '[[1,2,3]]' }), writeBody({ tokens: '[[1,2,3,4]]' })],
    ['inflated bytes', writeBody({ images: `"${'x'.repeat(300)}"` }), writeBody({ images: `"${'x'.repeat(380)}"` })],
    ['wire bytes', writeBody({}), ' '.repeat(501)],
  ])('on %s give 413 beyond them', (_, fits, exceeds) => {
    expectGroup(ingest(fits));
    expect(expectRefusal(ingest(exceeds)).status).toBe(413);
  });
});

describe('gzip', () => {
  const ingest = (body: Uint8Array) => ingestBody({ body, encoding: 'gzip', shape: 'one' });
  const text = writeBody({ images: '"payload"' });

  test('inflates one member or several, and knows the same body however it was compressed or spaced', () => {
    const single = ingest(gzipSync(text));
    const several = ingest(Buffer.concat([gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]));
    const plain = ingestText(text);
    const spaced = ingestText(text.replaceAll(',', ' , '));
    const other = ingestText(writeBody({ images: '"payloae"' }));
    const digests = [single, several, plain, spaced, other].map((outcome) => {
      if (outcome.kind !== 'groups') throw new Error('refused');
      return outcome.bodyDigest;
    });
    expect(new Set(digests.slice(0, 4)).size).toBe(1);
    expect(digests[4]).not.toBe(digests[0]);
    expect(several).toMatchObject({ inflatedBytes: text.length });
  });

  test.each([
    ['garbage', Buffer.from('not gzip at all')],
    ['a truncated stream', gzipSync(text).subarray(0, -12)],
    ['a wrong checksum', Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8, 1)])],
  ])('refuses %s', (_, body) => {
    expect(ingest(body)).toEqual({ kind: 'refused', status: 400, text: 'Invalid gzip payload' });
  });

  test('an empty body has no field', () => {
    for (const body of [new Uint8Array(), gzipSync('')]) expect(listIssues(ingest(body))).toEqual(['missing@body']);
  });

  test('a small body may compress as well as it likes', () => {
    const tokens = `[${Array(16)
      .fill(`[${Array(1024).fill(7).join(', ')}]`)
      .join(', ')}]`;
    const body = gzipSync(writeBody({ tokens }), { level: 9 });
    expect(tokens.length / body.length).toBeGreaterThan(100);
    expect(expectGroup(ingest(body)).tokenCount).toBe(16_384);
  });

  test('a body that inflates twenty times is data', () => {
    const text = writeBody({
      images: JSON.stringify(
        `${'abcdefghij'.repeat(5)}${Array.from({ length: 60_000 }, (_, i) => `${'word '.repeat(12)}${i % 977}`).join('')}`,
      ),
    });
    const body = gzipSync(text);
    expect(text.length / body.length).toBeGreaterThan(8);
    expectGroup(ingest(body));
  });

  test('a bomb of a thousand to one is refused after a fraction of it', () => {
    const member = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '), { level: 9 });
    const bomb = Buffer.concat(Array(16).fill(member));
    expect(bomb.length).toBeGreaterThan(1_000_000);
    expect(expectRefusal(ingest(bomb)).status).toBe(413);
    let allowedBytes = 0;
    const gunzip: Gunzip = (body, options) => {
      allowedBytes += options.maxOutputLength + options.chunkSize;
      return gunzipSync(body, options);
    };
    expect(() => inflateBody(bomb, defaultIngestLimits, { gunzip })).toThrow('100 times its compressed size');
    expect(allowedBytes).toBeLessThan(20_000_000);
  });
});
