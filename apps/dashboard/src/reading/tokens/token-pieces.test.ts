import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakLines, findLine } from './break-lines.ts';
import { piecesOfBytes, piecesOfIds, piecesOfStrings } from './token-pieces.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

test('a token that is a part of a character is shown as its bytes', () => {
  // “€” is E2 82 AC: one token has its first byte, the next one the rest and a letter.
  const pieces = piecesOfBytes(encode('a€b'), [0, 2, 5]);
  expect(pieces.text(0)).toBe('a‹E2›');
  expect(pieces.text(1)).toBe('‹82›‹AC›b');
  expect(pieces.cells(0)).toBe(5);
  expect(pieces.cells(1)).toBe(9);
});

test('what a token says is what its bytes say, wherever characters are whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }), { maxLength: 30 }), (texts) => {
      const bytes = encode(texts.join(''));
      const offsets = [0];
      for (const text of texts) offsets.push((offsets.at(-1) ?? 0) + encode(text).length);
      const [ofBytes, ofStrings] = [piecesOfBytes(bytes, offsets), piecesOfStrings(texts)];
      for (const index of texts.keys()) expect(ofBytes.text(index)).toBe(ofStrings.text(index));
    }),
  );
});

test('bytes that are no text at all do not stop it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ min: 0x80, max: 0xff, maxLength: 60 }), (bytes) => {
      const pieces = piecesOfBytes(
        bytes,
        Array.from({ length: bytes.length + 1 }, (_, index) => index),
      );
      const texts = Array.from(bytes, (_, index) => pieces.text(index));
      expect(texts).toEqual(Array.from(bytes, (byte) => `‹${byte.toString(16).toUpperCase()}›`));
    }),
  );
});

test('signs that hide or turn text around are named', () => {
  const pieces = piecesOfStrings(['\u202Egpj.exe', '\u0000', 'a\nb', '\u200F']);
  expect([0, 1, 2, 3].map((index) => pieces.text(index))).toEqual(['‹202E›gpj.exe', '‹00›', 'a↵b', '‹200F›']);
});

test('lines end behind a line end and before what no longer fits', () => {
  const pieces = piecesOfStrings(['abc', 'def', 'gh\n', 'i', 'jklmnopqrstuvw', 'x']);
  expect([...breakLines(pieces, 6, 8)]).toEqual([0, 2, 3, 4, 5]);
  expect([...breakLines(pieces, 0, 8)]).toEqual([]);
});

test('every token is in the line that is found for it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'bb', '\n', '名'), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 1, max: 12 }),
      (texts, columns) => {
        const starts = breakLines(piecesOfStrings(texts), texts.length, columns);
        expect(starts[0]).toBe(0);
        for (const index of texts.keys()) {
          const line = findLine(starts, index);
          expect(starts[line]).toBeLessThanOrEqual(index);
          expect(starts[line + 1] ?? texts.length).toBeGreaterThan(index);
        }
      },
    ),
  );
});

test('without a tokenizer the ids stand for themselves', () => {
  expect(piecesOfIds([9_906, 11]).text(0)).toBe('9906 ');
});
