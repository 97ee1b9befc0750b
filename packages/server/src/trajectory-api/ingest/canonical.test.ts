import { execFileSync } from 'node:child_process';
import { decodeGroup, SCORED_DATA_KEYS } from '@lachesis/protocol/codec';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGroup, ingestText, readCanonical, readField, renderReference, writeBody } from './reference.fixture.ts';

const space = fc.constantFrom('', '', '', ' ', '  ', '\n', '\t', '\r\n', ' \n\t ');

const joined = (open: string, items: fc.Arbitrary<string[]>, close: string) =>
  fc
    .tuple(items, space, space)
    .map(([list, before, after]) =>
      list.length === 0
        ? `${open}${before}${close}`
        : `${open}${before}${list.join(`${after},${before}`)}${after}${close}`,
    );

const intText = fc.oneof(
  fc.integer({ min: -100, max: 151_000 }).map(String),
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.constantFrom('-100', '0', '-0', '9999999', '10000000', '99999999', '2147483648', '-2147483649'),
);
const floatText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  intText,
  fc.constantFrom(
    '1.0',
    '-0.0',
    '0.0',
    '1e-7',
    '-1.5E+3',
    '1.0e5',
    '12345678901234567890',
    '0.1000',
    '123.456',
    '9.99e-05',
  ),
);
const stringText = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u00e9\\ud83d\\ude00"', '"\\ud800"', '"\\/\\b\\f\\n\\r\\t\\"\\\\"', '"é 😀"', '"a, b: [1, 2] {}"'),
);
const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.oneof(floatText, stringText, fc.constantFrom('null', 'true', 'false')),
    joined('[', fc.array(tie('value'), { maxLength: 3 }), ']'),
    tie('object'),
  ),
  object: joined(
    '{',
    fc.array(
      fc.tuple(stringText, tie('value')).map(([key, value]) => `${key} :${value}`),
      { maxLength: 3 },
    ),
    '}',
  ),
})).value;
const objectText = fc
  .array(
    fc.tuple(stringText, jsonText).map(([key, value]) => `${key}: ${value}`),
    { maxLength: 3 },
  )
  .map((members) => `{${members.join(',')}}`);
const messageText = fc.tuple(jsonText, jsonText).map(([role, content]) => `{"role":${role}, "content" : ${content}}`);

const lists = (inner: fc.Arbitrary<string>, maxLength = 4) => joined('[', fc.array(inner, { maxLength }), ']');
const ints = lists(lists(intText, 12));
const floats = lists(lists(floatText, 12));
const optional = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant('null'), text);

const member: fc.Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(fc.constantFrom('advantages', 'ref_logprobs', 'inference_logprobs'), optional(floats)),
  fc.tuple(fc.constant('messages'), optional(lists(lists(messageText, 2), 2))),
  fc.tuple(fc.constantFrom('generation_params', 'group_overrides'), optional(objectText)),
  fc.tuple(fc.constant('overrides'), optional(lists(objectText, 2))),
  fc.tuple(fc.constant('images'), jsonText),
  fc.tuple(fc.constant('env_id'), optional(intText)),
  fc.tuple(fc.constant('distill_token_ids'), optional(lists(ints, 2))),
  fc.tuple(fc.constant('distill_logprobs'), optional(lists(floats, 2))),
  fc.tuple(fc.constantFrom('unknown', '__proto__', 'constructor', ''), jsonText),
);

const body = fc
  .tuple(ints, ints, lists(floatText, 6), fc.array(member, { maxLength: 8 }), fc.nat(), space)
  .map(([tokens, masks, scores, members, rotation, blank]) => {
    const all: [string, string][] = [['tokens', tokens], ['masks', masks], ['scores', scores], ...members];
    const turn = rotation % all.length;
    const rotated = [...all.slice(turn), ...all.slice(0, turn)];
    return `${blank}{${rotated.map(([key, value]) => `${blank}${JSON.stringify(key)}${blank}:${blank}${value}${blank}`).join(',')}}${blank}`;
  });

test('the canonical text is the one the plain reference writes', () => {
  fc.assert(
    fc.property(body, (text) => {
      expect(readCanonical(expectGroup(ingestText(text)).payload)).toBe(renderReference(text));
    }),
    { numRuns: 2000 },
  );
});

test('packed values are the ones JSON.parse reads', () => {
  fc.assert(
    fc.property(body, (text) => {
      const group = expectGroup(ingestText(text));
      const payload = decodeGroup(group.payload);
      const parsed = JSON.parse(text) as {
        tokens: number[][];
        scores: number[];
        inference_logprobs?: number[][] | null;
      };
      expect(Array.from(payload.tokens.values, Number)).toEqual(parsed.tokens.flat().map((value) => value + 0));
      expect(Array.from(payload.tokens.rowLengths)).toEqual(parsed.tokens.map((row) => row.length));
      // An integer -0 is Python's 0; the parsed text no longer tells it from -0.0.
      expect(Array.from(payload.scores, (value) => value + 0)).toEqual(parsed.scores.map((value) => value + 0));
      const logprobs = parsed.inference_logprobs ?? [];
      const packed = Array.from(payload.inferenceLogprobs?.values ?? [], (value) => value + 0);
      expect(packed).toEqual(logprobs.flat().map((value) => value + 0));
      expect(payload.inferenceLogprobs === undefined).toBe(logprobs.length === 0);
      expect(group.sequenceCount).toBe(parsed.tokens.length);
      expect(group.tokenCount).toBe(parsed.tokens.flat().length);
      expect(group.longestSequence).toBe(Math.max(0, ...parsed.tokens.map((row) => row.length)));
    }),
    { numRuns: 2000 },
  );
});

describe('canonical text', () => {
  test('has all fourteen keys in wire order', () => {
    const canonical = readCanonical(expectGroup(ingestText(writeBody({}))).payload);
    expect(Object.keys(JSON.parse(canonical) as object)).toEqual(SCORED_DATA_KEYS);
  });

  test('keeps the text of numbers and gives integers in float fields a fraction', () => {
    const scores =
      '[1, 1.0, 1e-7, 1E5, -0.0, -0, 0.10, 12345678901234567890, 9007199254740993, 1.0000000000000000000001]';
    expect(readField(writeBody({ scores }), 'scores')).toBe(
      '[1.0,1.0,1e-7,1E5,-0.0,0.0,0.10,12345678901234567000.0,9007199254740992.0,1.0000000000000000000001]',
    );
  });

  test('keeps an empty list, which the packed sections leave out', () => {
    const text = writeBody({
      messages: '[ ]',
      advantages: '[]',
      images: '[]',
      overrides: '[]',
      distill_token_ids: '[]',
    });
    const { payload } = expectGroup(ingestText(text));
    expect(readField(text, 'messages')).toBe('[]');
    expect(readField(text, 'advantages')).toBe('[]');
    const group = decodeGroup(payload);
    expect([group.json, group.advantages, group.distillTokenIds]).toEqual([undefined, undefined, undefined]);
  });

  test('takes the last of equal keys, however they are written', () => {
    const text = '{"tokens":"x","scores":[NaN],"masks":[],"t\\u006fkens":[[1]],"scores":[2]}';
    expect(readField(text, 'tokens')).toBe('[[1]]');
    expect(expectGroup(ingestText(text)).nonFiniteFields).toEqual([]);
  });

  test('keeps integers beyond 2^53 as text', () => {
    const text = writeBody({ tokens: '[[1, 36893488147419103232], [2]]', env_id: '100000000000000000000' });
    const group = expectGroup(ingestText(text));
    expect(readField(text, 'tokens')).toBe('[[1,36893488147419103232],[2]]');
    expect(readField(text, 'env_id')).toBe('100000000000000000000');
    expect(group).toMatchObject({ sequenceCount: 2, tokenCount: 3, envId: Number.MAX_SAFE_INTEGER });
    const payload = decodeGroup(group.payload);
    expect(new TextDecoder().decode(payload.rawNumbers?.tokens)).toBe('[[1,36893488147419103232],[2]]');
    expect(payload.tokens.values.length).toBe(0);
  });

  test('holds integers that need more than 32 bits exactly', () => {
    const tokens = decodeGroup(
      expectGroup(ingestText(writeBody({ tokens: '[[1, 4294967295, 9007199254740991, -5]]' }))).payload,
    ).tokens;
    expect(Array.from(tokens.values)).toEqual([1, 4294967295, 9007199254740991, -5]);
  });

  // Without Python on the machine there is nothing to compare with.
  test.skipIf(!hasPython())('is what Python reads from the body', () => {
    const texts = fc.sample(body, { numRuns: 300, seed: 7 });
    const pairs = texts.map((text) => [text, readCanonical(expectGroup(ingestText(text)).payload)]);
    // Types count: 1 and 1.0 are equal in Python, so both sides are compared by their repr.
    const script = `
import json, sys
floats = {'scores', 'advantages', 'ref_logprobs', 'inference_logprobs', 'distill_logprobs'}
def to_float(v):
    return None if v is None else [to_float(x) for x in v] if isinstance(v, list) else float(v)
for body, canonical in json.load(sys.stdin):
    sent, got = json.loads(body), json.loads(canonical)
    want = {k: to_float(sent.get(k)) if k in floats else sent.get(k) for k in got}
    if repr(want) != repr(got): sys.exit(repr(want) + ' became ' + repr(got))
print('same')`;
    const output = execFileSync('python3', ['-c', script], { input: JSON.stringify(pairs), encoding: 'utf8' });
    expect(output.trim()).toBe('same');
  });
});

describe('non-finite numbers', () => {
  test('are accepted and reported by field, wherever they stand', () => {
    const text = writeBody({
      scores: '[NaN]',
      advantages: '[[1, -Infinity]]',
      generation_params: '{"a": [{"b": 1e999}]}',
      images: '-1e400',
      messages: '[[{"role": "a", "content": Infinity}]]',
      unknown: 'NaN',
    });
    expect(expectGroup(ingestText(text)).nonFiniteFields).toEqual([
      'scores',
      'advantages',
      'messages',
      'generation_params',
      'images',
    ]);
    expect(readField(text, 'advantages')).toBe('[[1.0,-Infinity]]');
  });

  test('are not seen where there are none', () => {
    expect(
      expectGroup(ingestText(writeBody({ images: '[1e308, 1e-999, "NaN", "Infinity"]' }))).nonFiniteFields,
    ).toEqual([]);
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // The command does not exist.
    return false;
  }
}
