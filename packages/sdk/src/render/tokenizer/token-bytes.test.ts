import { expect, test } from 'vitest';
import { createTokenBytes } from './token-bytes.ts';

const read = (decoder: unknown, pieces: readonly string[]) => {
  const bytesOf = createTokenBytes({
    ...{ tokenizerJson: JSON.stringify({ decoder }), addedTokens: [{ id: 99, text: '<end>' }] },
    findPiece: (token) => pieces[token] ?? null,
  });
  return [...pieces.keys(), 99, 100].map((token) => {
    const bytes = bytesOf(token);
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');
  });
};

test('letters that stand for bytes are read as those, parts of characters too', () => {
  expect(read({ type: 'ByteLevel' }, ['Ġtwo', 'Ċ', 'â', 'Ĥ¬', '漢'])).toEqual([
    ...[' two', '\n', '\u00e2', '\u0082\u00ac', undefined],
    ...['<end>', undefined],
  ]);
});

test('pieces of text have a sign for the space, and single bytes by their number', () => {
  const sequence = { type: 'Sequence', decoders: [{ type: 'Replace' }, { type: 'ByteFallback' }, { type: 'Fuse' }] };
  for (const decoder of [sequence, { type: 'Metaspace' }]) {
    expect(read(decoder, ['▁two', '<0xE2>', '<0xe2>'])).toEqual([' two', '\u00e2', '<0xe2>', '<end>', undefined]);
  }
});

test('what is written in another way is not guessed at', () => {
  expect(read({ type: 'WordPiece' }, ['##ing'])).toEqual([undefined, '<end>', undefined]);
  expect(read(null, ['x'])).toEqual([undefined, '<end>', undefined]);
});
