import type { loadTokenizer } from '@lachesis/sdk/render';
import { expect, test } from 'vitest';
import { createTokenTexts } from './open-token-text.ts';

/** A tokenizer whose token n is the letter n. */
function createLoad(known: readonly string[]) {
  const asked: unknown[] = [];
  const load = async (options: Parameters<typeof loadTokenizer>[0]) => {
    asked.push(options);
    if (!('model' in options) || !known.includes(options.model)) throw new Error('there is none');
    return {
      decode: async (tokens: readonly number[]) => String.fromCharCode(...tokens),
      bytesOf: (token: number) => (token < 128 ? Uint8Array.of(token) : undefined),
    };
  };
  return { asked, load: load as unknown as typeof loadTokenizer };
}

test('makes text of tokens, whole and one by one, and loads a tokenizer once and from this machine alone', async () => {
  const { asked, load } = createLoad(['tiny']);
  const open = createTokenTexts({ env: { HF_HOME: '/h' }, load });
  const [text, again] = await Promise.all([open('tiny'), open('tiny')]);
  expect(again).toBe(text);
  expect([await text?.decode([72, 105]), await text?.split([72, 72, 105])]).toEqual(['Hi', ['H', 'H', 'i']]);
  expect(await text?.spell([72, 0xe9, 72])).toEqual([Uint8Array.of(72), Uint8Array.of(0xc3, 0xa9), Uint8Array.of(72)]);
  expect(asked).toEqual([{ model: 'tiny', env: { HF_HOME: '/h', HF_HUB_OFFLINE: '1' } }]);
});

test('says nothing where there is no tokenizer, and looks again the next time', async () => {
  const { asked, load } = createLoad([]);
  const open = createTokenTexts({ env: {}, load });
  expect([await open('away'), await open('away'), asked.length]).toEqual([undefined, undefined, 2]);
});
