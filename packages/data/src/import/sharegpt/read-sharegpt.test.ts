import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { formatPythonJson } from '@lachesis/sdk/render';
import { formatShareGptLine, formatShareGptSample } from '../../export/sharegpt/write-sharegpt.ts';
import { readShareGpt } from './read-sharegpt.ts';

const PREAMBLE =
  'Made at saving time.\n<tools>\n[{"name": "look", "description": "", "parameters": {}, "required": null}]\n</tools>';

const element = (from: string, value: unknown) => ({ from, value });
const q = (text: string) => element('human', text);
const a = (text: string) => element('gpt', `<think>\n</think>\n${text}`);

/** A line as Hermes appends one at the end of a turn. */
const line = (...elements: unknown[]): string =>
  `${JSON.stringify({ conversations: [element('system', PREAMBLE), ...elements], timestamp: 't', model: 'm', completed: true })}\n`;

async function read(source: string | Uint8Array, options = {}) {
  const results = await Array.fromAsync(readShareGpt(source, options));
  return {
    texts: results.flatMap((result) =>
      'record' in result ? [result.record.messages.map(({ content }) => content)] : [],
    ),
    repairs: results.flatMap((result) => ('record' in result ? result.repairs.map(({ kind }) => kind) : [])),
    problems: results.flatMap((result) => ('problem' in result ? [result.problem] : [])),
    records: results.flatMap((result) => ('record' in result ? [result.record] : [])),
  };
}

test('a session that was appended at each turn is one conversation, with its first question back', async () => {
  const { texts, repairs } = await read(
    line(q('one'), a('A')) +
      line(q('elsewhere'), a('E')) +
      line(q('two'), a('A'), q('two'), a('B')) +
      line(q('three'), a('A'), q('two'), a('B'), q('three'), a('C')),
  );
  expect(texts).toEqual([
    ['elsewhere', 'E'],
    ['one', 'A', 'two', 'B', 'three', 'C'],
  ]);
  expect(repairs.filter((kind) => kind === 'nested-duplicate')).toHaveLength(2);
  expect(repairs).toContain('first-question-restored');
});

test('a first question that nothing can restore takes its answer with it', async () => {
  const { texts, repairs } = await read(line(q('two'), a('A'), q('two'), a('B')));
  expect(texts).toEqual([['two', 'B']]);
  expect(repairs).toContain('first-question-lost');
});

test('a question that stands there twice is there once', async () => {
  const { texts, repairs } = await read(line(q('one'), q('one'), a('A')));
  expect(texts).toEqual([['one', 'A']]);
  expect(repairs).toContain('question-twice');
});

test('without repair every line is a conversation as it stands', async () => {
  const text = line(q('one'), a('A')) + line(q('two'), a('A'), q('two'), a('B'));
  const { records } = await read(text, { repair: false });
  const expected = text
    .trimEnd()
    .split('\n')
    .map((one) => formatPythonJson(JSON.parse(one)));
  expect(records.map((record) => formatShareGptLine(record))).toEqual(expected);
});

test('numbered answers that came in another order get the names of their calls', async () => {
  const calls =
    '<think>\n</think>\n<tool_call>\n{"name": "look", "arguments": {"x": 1.0}}\n</tool_call>\n<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>';
  const response = (id: string, name: string) =>
    `<tool_response>\n{"tool_call_id": "${id}", "name": "${name}", "content": "of ${id}"}\n</tool_response>`;
  const { records, repairs } = await read(
    line(
      q('one'),
      element('gpt', calls),
      element('tool', `${response('call_2', 'look')}\n${response('call_1', 'find')}`),
      a('A'),
    ),
  );
  expect(repairs).toContain('answers-named-by-place');
  expect(records[0]?.messages.slice(1, 4)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"x": 1.0}' } },
        { id: 'call_2', type: 'function', function: { name: 'find', arguments: '{}' } },
      ],
    },
    { role: 'tool', content: 'of call_2', tool_call_id: 'call_2' },
    { role: 'tool', content: 'of call_1', tool_call_id: 'call_1' },
  ]);
});

test('concatenated gzip members are one file, and a torn one is told where it tears', async () => {
  const whole = Buffer.concat([gzipSync(line(q('one'), a('A'))), gzipSync(line(q('two'), a('B')))]);
  expect((await read(whole)).texts).toEqual([
    ['one', 'A'],
    ['two', 'B'],
  ]);
  const torn = await read(whole.subarray(0, whole.length - 10));
  expect(torn.problems).toHaveLength(1);
  expect(torn.texts[0]).toEqual(['one', 'A']);
});

test('a line that was cut short is a problem with its number, and the others are read', async () => {
  const { texts, problems } = await read(`${line(q('one'), a('A'))}\n{"conversations": [{"fr`);
  expect(texts).toEqual([['one', 'A']]);
  expect(problems).toMatchObject([{ at: 'line 3' }]);
});

test('a sample file on many lines and a file that is one array are read', async () => {
  const { records } = await read(line(q('one'), a('A')));
  const sample = formatShareGptSample(records[0] as (typeof records)[0]);
  expect(sample.startsWith('{\n  "conversations": [\n    {\n      "from": "system"')).toBe(true);
  expect((await read(sample)).texts).toEqual([['one', 'A']]);
  expect((await read(`[${line(q('one'), a('A'))},\n${line(q('two'), a('B'))}]`)).texts).toHaveLength(2);
});

test('lines of others, without thinking and with other names of roles, go back as they came', async () => {
  const text =
    '{"conversations": [{"from": "user", "value": "hi"}, {"from": "assistant", "value": "ho"}], "source": "forum", "score": 1.0}';
  const { records } = await read(text);
  expect(records[0]?.messages).toEqual([
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'ho' },
  ]);
  expect(formatShareGptLine(records[0] as (typeof records)[0])).toBe(text);
});

test('what is no conversation is a problem that says why', async () => {
  const { problems } = await read(
    '{"text": "x"}\n{"conversations": [{"from": "robot", "value": "x"}]}\n{"conversations": []}\n',
  );
  expect(problems.map(({ reason }) => reason)).toEqual([
    'it has no list "conversations"',
    expect.stringContaining('robot') as string,
    'there is no message in it',
  ]);
});
