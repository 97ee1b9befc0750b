import { expect, test } from 'vitest';

import { createEventParser, type EventParserOptions } from './event-parser.ts';

function parse(text: string, size: number, options: Partial<EventParserOptions> = {}): [string, string, string?][] {
  const events: [string, string, string?][] = [];
  const parser = createEventParser({
    onEvent: ({ event, data, id }) => void events.push(id === undefined ? [event, data] : [event, data, id]),
    ...options,
  });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) parser.add(bytes.subarray(at, at + size));
  parser.end();
  return events;
}

test.for([1, 2, 5, 1_000])('events are read alike in pieces of %i bytes and with any end of a line', (size) => {
  const lines = [
    ': warm',
    '',
    'event: added',
    'id: 7',
    'data: h\u00e9',
    'data:two',
    '',
    'data: {"a": 1}',
    '',
    'id: 8',
    '',
    'x',
  ];
  const events = [
    ['added', 'h\u00e9\ntwo', '7'],
    ['message', '{"a": 1}'],
    ['message', '', '8'],
  ];
  for (const end of ['\n', '\r\n', '\r']) expect(parse(lines.join(end), size)).toEqual(events);
});

test('the last event counts without its empty line, and what is too long is dropped', () => {
  const seen: string[] = [];
  const parser = createEventParser({ onEvent: ({ data }) => void seen.push(data), lastData: '[DONE]' });
  parser.add(new TextEncoder().encode('data: [DONE]\n'));
  expect(seen).toEqual(['[DONE]']);
  let overlong = 0;
  const events = parse('data: 123456789\n\ndata: ok\n\n', 4, { maxCharacters: 8, onOverlong: () => (overlong += 1) });
  expect(events.at(-1)).toEqual(['message', 'ok']);
  expect(overlong).toBeGreaterThan(0);
});
