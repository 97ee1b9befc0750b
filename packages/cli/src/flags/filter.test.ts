import { trajectoryFilterSchema } from '@lachesis/protocol';
import { expect, test } from 'vitest';
import { dataFilterFlags, filterFlags, readFilter } from './filter.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

test('every field of the filter but the text has an option', () => {
  const options = Object.keys(filterFlags).map((name) => name.replaceAll('-', '_'));
  expect([...options, 'text'].sort()).toEqual(Object.keys(trajectoryFilterSchema.shape).sort());
});

test('options become what the filter takes', () => {
  const filter = readFilter(
    {
      user: '42',
      'min-reward': '0',
      'max-turns': '3',
      'has-error': 'false',
      since: '2d',
      until: '2026-11-14',
      home: '/x',
    },
    NOW,
  );
  expect(trajectoryFilterSchema.parse(filter)).toEqual({
    user: '42',
    min_reward: 0,
    max_turns: 3,
    has_error: false,
    since: NOW - 2 * 86_400_000,
    until: Date.parse('2026-11-14'),
  });
});

test('a command about data sets takes from its own options what narrows the rows, and nothing else', () => {
  const args = { text: 'moon', 'min-turns': '2', 'has-tokens': 'true', consent: 'train', split: 'train=0.9,eval=0.1' };
  expect(readFilter(args, NOW, dataFilterFlags)).toEqual({ text: 'moon', min_turns: 2, has_tokens: true });
});
