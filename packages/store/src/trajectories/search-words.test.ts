import { expect, test } from 'vitest';
import { collectSearchText, parseSearch, toFtsQuery, toTsQuery, toWords } from './search-words.ts';

test('words are lower case, without accents, and apart at everything else', () => {
  expect(toWords(`Don't re-run GET_weather(Zürich) 3.14`)).toEqual([
    'don',
    't',
    're',
    'run',
    'get',
    'weather',
    'zurich',
    '3',
    '14',
  ]);
  expect(toWords('東京 tower')).toEqual(['東', '京', 'tower']);
});

test('a search is words, phrases and beginnings, and never a language of its own', () => {
  const terms = parseSearch(`refund "New  York" can* it's "open -a:b`);
  expect(terms.map((term) => toFtsQuery(term))).toEqual(['"refund"', '"new york"', '"can" *', '"it s"', '"open a b"']);
  expect(terms.map((term) => toTsQuery(term)).slice(0, 4)).toEqual([
    `'refund'`,
    `'new' <-> 'york'`,
    `'can':*`,
    `'it' <-> 's'`,
  ]);
  expect(parseSearch('?! ""')).toEqual([]);
});

test('images and the end of long outputs stay out of the index', () => {
  const words = collectSearchText(
    [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
          { type: 'text', text: 'look' },
        ],
      },
      { role: 'tool', content: `begin ${'x '.repeat(20_000)} finish` },
    ],
    ['extra'],
  ).split(' ');
  expect(words.slice(0, 3)).toEqual(['extra', 'look', 'begin']);
  expect(words).not.toContain('finish');
  expect(words).not.toContain('qujd');
});
