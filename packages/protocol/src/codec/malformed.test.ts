import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeGroup } from './decode-group.ts';
import { encodeGroup } from './encode-group.ts';
import { groupArbitrary } from './group-arbitraries.fixture.ts';
import type { EncodableGroup } from './group-payload.ts';
import { PackedGroupError } from './packed-group-error.ts';
import { readWireBlock } from './read-wire-block.ts';
import { SECTION } from './sections.ts';

/** Decodes hostile bytes: the only error allowed is ours, and what is made stays a small multiple of the input. */
function probe(bytes: Uint8Array): 'read' | 'refused' {
  try {
    readWireBlock(bytes);
    const made = new Set<ArrayBufferLike>();
    collectBuffers(decodeGroup(bytes), made);
    made.delete(bytes.buffer);
    const madeBytes = [...made].reduce((total, buffer) => total + buffer.byteLength, 0);
    expect(madeBytes).toBeLessThanOrEqual(bytes.length * 8);
    return 'read';
  } catch (error) {
    if (!PackedGroupError.isInstance(error)) throw error;
    expect(error.section.length).toBeGreaterThan(0);
    expect(error.reason.length).toBeGreaterThan(0);
    return 'refused';
  }
}

function collectBuffers(value: unknown, found: Set<ArrayBufferLike>): void {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) collectBuffers(entry, found);
  }
}

const group: EncodableGroup = {
  header: { env_id: 1 },
  tokens: { values: Uint16Array.of(5, 6, 7), rowLengths: Uint32Array.of(1, 2) },
  masks: { values: Int32Array.of(-100, 6, 7), rowLengths: Uint32Array.of(1, 2) },
  scores: Float64Array.of(1, 0.1),
  advantages: { values: Float32Array.of(1, 2), rowLengths: Uint32Array.of(2) },
  distillTokenIds: {
    values: Uint16Array.of(1, 2, 3),
    itemLengths: Uint32Array.of(1, 1, 1),
    rowLengths: Uint32Array.of(1, 2),
  },
  distillLogprobs: {
    values: Float32Array.of(-1, -2, -3),
    itemLengths: Uint32Array.of(1, 1, 1),
    rowLengths: Uint32Array.of(1, 2),
  },
  policyRanges: Uint32Array.of(0, 0, 1, 9),
  json: { messages: new TextEncoder().encode('[[],[]]') },
  wire: { deflated: Uint8Array.of(1, 2), crc32: 3, inflatedBytes: 4 },
};

/** A good container with one section's table entry rewritten. */
function forge(id: number, change: (entry: DataView) => void): Uint8Array {
  const bytes = encodeGroup(group);
  const view = new DataView(bytes.buffer);
  for (let entry = 16; entry < 16 + 16 * view.getUint16(6, true); entry += 16) {
    if (view.getUint16(entry, true) === id) change(new DataView(bytes.buffer, entry, 16));
  }
  return bytes;
}

/** A good container with one section renamed to an id no reader knows, which is the same as leaving it out. */
const without = (id: number): Uint8Array => forge(id, (entry) => entry.setUint16(0, 60_000, true));

const refusal = (bytes: Uint8Array): string => {
  try {
    decodeGroup(bytes);
  } catch (error) {
    if (PackedGroupError.isInstance(error)) return `${error.section} ${error.reason}`;
    throw error;
  }
  return 'read';
};

test('every truncation is refused', () => {
  const bytes = encodeGroup(group);
  for (let length = 0; length < bytes.length; length += 1) expect(probe(bytes.slice(0, length))).toBe('refused');
});

test('bytes after the end are refused', () => {
  expect(probe(Uint8Array.of(...encodeGroup(group), 0))).toBe('refused');
});

test('every flipped bit is read as another group or refused', () => {
  const bytes = encodeGroup(group);
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const flipped = bytes.slice();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    probe(flipped);
  }
});

test('random damage to random groups never surprises', () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(groupArbitrary, damage, fc.nat(), (random, changes, cut) => {
      const bytes = encodeGroup(random);
      for (const [place, byte] of changes) bytes[place % bytes.length] = byte;
      probe(bytes);
      probe(bytes.slice(0, cut % bytes.length));
    }),
    { numRuns: 3000 },
  );
});

test('random bytes behind a true preamble never surprise', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 400 }), fc.nat({ max: 24 }), (bytes, sections) => {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      bytes.set([0x4c, 0x47, 0x52, 0x50, 1, 0]);
      view.setUint16(6, sections, true);
      view.setUint32(8, bytes.length, true);
      view.setUint32(12, 0, true);
      probe(bytes);
    }),
    { numRuns: 3000 },
  );
});

describe('lying tables', () => {
  const U32_MAX = 0xffff_ffff;
  const ids = Object.values(SECTION);

  test.each(ids)('section %i cannot claim more than there is', (id) => {
    for (const lie of [U32_MAX, 0x8000_0000, 1 << 20]) {
      for (const place of [4, 8, 12]) probe(forge(id, (entry) => entry.setUint32(place, lie, true)));
      probe(
        forge(id, (entry) => {
          entry.setUint32(4, lie, true);
          entry.setUint32(12, lie, true);
        }),
      );
    }
  });

  test.each(ids)('section %i may have no dtype that is not its own', (id) => {
    for (let dtype = 0; dtype < 256; dtype += 1) probe(forge(id, (entry) => entry.setUint8(2, dtype)));
  });

  test('each lie has its reason', () => {
    const { tokens, masks, scores } = SECTION;
    expect(refusal(forge(tokens, (entry) => entry.setUint32(4, U32_MAX, true)))).toBe(
      `tokens cannot hold ${U32_MAX} elements in 6 bytes`,
    );
    expect(refusal(forge(tokens, (entry) => entry.setUint32(12, U32_MAX, true)))).toBe(
      'tokens reaches beyond the end of the input',
    );
    expect(refusal(forge(tokens, (entry) => entry.setUint32(8, 0, true)))).toBe(
      'tokens does not start at the next multiple of eight',
    );
    expect(refusal(forge(tokens, (entry) => entry.setUint8(2, 99)))).toBe('tokens has the unknown dtype 99');
    expect(refusal(forge(tokens, (entry) => entry.setUint8(3, 1)))).toBe('tokens has a reserved byte set');
    expect(refusal(forge(scores, (entry) => entry.setUint16(0, tokens, true)))).toBe('tokens appears twice');
    expect(refusal(forge(masks, (entry) => entry.setUint32(4, 4, true)))).toBe(
      'masks has 4 values but lengths that add up to 3',
    );
  });
});

test('a section that is needed and missing is named', () => {
  const needed = [SECTION.header, SECTION.tokens, SECTION.tokensRowLengths, SECTION.masks, SECTION.scores];
  const pairs = [SECTION.distillTokenIdsItemLengths, SECTION.wireDeflated, SECTION.wireFacts];
  expect([...needed, ...pairs].map((id) => refusal(without(id)))).toEqual([
    'header is missing',
    'tokens is missing',
    'tokensRowLengths is missing',
    'masks is missing',
    'scores is missing',
    'distillTokenIdsItemLengths is missing',
    'wireDeflated is missing',
    'wireFacts is missing',
  ]);
  expect(refusal(without(SECTION.distillTokenIds))).toBe('distillLogprobsItemLengths is missing');
});

test('a section no reader knows is skipped', () => {
  const bytes = without(SECTION.policyRanges);
  expect(decodeGroup(bytes).policyRanges).toBeUndefined();
  const alien = forge(SECTION.policyRanges, (entry) => {
    entry.setUint16(0, 60_000, true);
    entry.setUint8(2, 200);
  });
  expect(decodeGroup(alien).tokens.values).toEqual(Uint16Array.of(5, 6, 7));
});

test('what cannot be read back is not written', () => {
  const rowLengths = Uint32Array.of(1);
  const refused = (change: Partial<EncodableGroup>): string => {
    try {
      encodeGroup({ ...group, ...change });
    } catch (error) {
      if (PackedGroupError.isInstance(error)) return error.section;
      throw error;
    }
    return 'written';
  };
  expect([
    refused({ tokens: { values: Float64Array.of(1.5), rowLengths } }),
    refused({ tokens: { values: Float64Array.of(2 ** 53), rowLengths } }),
    refused({ tokens: { values: Float64Array.of(Number.NaN), rowLengths } }),
    refused({ tokens: { values: Uint16Array.of(1, 2), rowLengths } }),
    refused({ masks: { values: Uint16Array.of(1, 2), rowLengths } }),
    refused({ advantages: { values: Float32Array.of(), rowLengths } }),
    refused({
      distillLogprobs: { values: Float32Array.of(1), itemLengths: Uint32Array.of(1), rowLengths: Uint32Array.of() },
    }),
    refused({ policyRanges: Uint32Array.of(1) }),
    refused({ header: { environment: 'x'.repeat(201) } }),
    refused({ wire: { deflated: Uint8Array.of(), crc32: -1, inflatedBytes: 0 } }),
    refused({}),
  ]).toEqual([
    'tokens',
    'tokens',
    'tokens',
    'tokens',
    'masks',
    'advantages',
    'distillLogprobs',
    'policyRanges',
    'header',
    'wireFacts',
    'written',
  ]);
});
