import { type CallCorpus, type CorpusCase, expectCase } from './corpus.ts';

const tag = (body: string): string => `<tool_call>${body}</tool_call>`;
const call = (body: string): string => tag(`\n${body}\n`);

const good: readonly CorpusCase[] = [
  expectCase('just text, no call', 'just text, no call'),
  expectCase('a < b and <tool and <tool_cal', 'a < b and <tool and <tool_cal'),
  expectCase(call('{"name": "f", "arguments": {}}'), 'f({})'),
  expectCase(`Let me look.\n${call('{"name": "get", "arguments": {"q": "x"}}')}`, 'Let me look.\n', 'get({"q": "x"})'),
  expectCase(
    `${call('{"name": "a", "arguments": {"n": 1.0}}')}\n${call('{"name": "b", "arguments": {"n": 1e-7}}')} done`,
    'a({"n": 1.0})',
    '\n',
    'b({"n": 1e-7})',
    ' done',
  ),
  expectCase(tag('{"name":"f","arguments":{"s":"</tool_call> in a string"}}'), 'f({"s":"</tool_call> in a string"})'),
  expectCase(tag('{"name":"f","arguments":{"s":"<tool_call>{}"}}'), 'f({"s":"<tool_call>{}"})'),
  expectCase(tag('{"arguments": {"日本": "🎌\\n\\"q\\""}, "name": "f日"}'), 'f日({"日本": "🎌\\n\\"q\\""})'),
  expectCase(
    tag('{"name": "f", "arguments": {"a": [1, {"b": [[], {}]}, null, true, -0.5e+3]}}'),
    'f({"a": [1, {"b": [[], {}]}, null, true, -0.5e+3]})',
  ),
  expectCase(tag('{"name": "f", "arguments": {"x": 1}, "name": "g"}'), 'g({"x": 1})'),
  expectCase(tag('\r\n\t {"name": "f", "arguments": {"u": "\\ud83d\\ude00"}} \n'), 'f({"u": "\\ud83d\\ude00"})'),
];

const broken: readonly CorpusCase[] = [
  expectCase(call('{"name": "f", "arguments": {"a": 1}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": 1}}}'), '!trailing-text'),
  expectCase(call("{'name': 'f', 'arguments': {}}"), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": 1,}}'), '!invalid-json'),
  expectCase(call('{"name": "f" "arguments": {}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": True}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": NaN}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": 01}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": "line\nbreak"}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": "bad \\x escape"}}'), '!invalid-json'),
  expectCase(call('{name: "f", arguments: {}}'), '!invalid-json'),
  expectCase(call('{"name": "f", "arguments": {"a": "open}}'), '!invalid-json'),
  expectCase(tag('{"name": "f", "arguments": {"a": "open}}'), '!invalid-json'),
  expectCase(call('[{"name": "f", "arguments": {}}]'), '!not-an-object'),
  expectCase(call('"f"'), '!not-an-object'),
  expectCase(call('42'), '!not-an-object'),
  expectCase(call('f(a=1)'), '!invalid-json'),
  expectCase(call(''), '!invalid-json'),
  expectCase(call('{}'), '!missing-name'),
  expectCase(call('{"arguments": {}}'), '!missing-name'),
  expectCase(call('{"name": "", "arguments": {}}'), '!missing-name'),
  expectCase(call('{"name": 7, "arguments": {}}'), '!missing-name'),
  expectCase(call('{"name": "f"}'), '!missing-arguments'),
  expectCase(call('{"name": "f", "arguments": [1]}'), '!arguments-not-an-object'),
  expectCase(call('{"name": "f", "arguments": null}'), '!arguments-not-an-object'),
  expectCase(call('{"name": "f", "arguments": {}} and more'), '!trailing-text'),
  expectCase(call('{"name": "f", "arguments": {}}{"name": "g", "arguments": {}}'), '!trailing-text'),
  expectCase('<tool_call>', '!unclosed'),
  expectCase('<tool_call>\n{"name": "f", "argum', '!unclosed'),
  expectCase('<tool_call>\n{"name": "f", "arguments": {}}', '!unclosed'),
  expectCase('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_ca', '!unclosed'),
  expectCase('<tool_call>{"name": "f", "arguments": {}}</tool_calls>', '!trailing-text'),
  expectCase(`<tool_call>{"name": "f", ${tag('{"name": "g", "arguments": {}}')}`, '!invalid-json', 'g({})'),
  expectCase(
    `${call('{"name": "f", "arguments": {]}}')}ok${call('{"name": "g", "arguments": {"x": 2}}')}`,
    '!invalid-json',
    'ok',
    'g({"x": 2})',
  ),
  expectCase(`vor 🎌 ${call('{"name": "日", "arguments": {"x": "🎌}}')} nach`, 'vor 🎌 ', '!invalid-json', ' nach'),
];

export const hermesCorpus: CallCorpus = {
  format: 'hermes',
  good,
  broken: [
    ...broken,
    expectCase(call('{"name": "f", "arguments": "{\\"a\\": 1}"}'), '!arguments-not-an-object'),
    expectCase(call('{"name": "f", "parameters": {}}'), '!missing-arguments'),
  ],
};

export const qwenCorpus: CallCorpus = {
  format: 'qwen',
  good: [
    ...good,
    expectCase(call('{"name": "f", "arguments": "{\\"a\\": 1.0}"}'), 'f({"a": 1.0})'),
    expectCase(call('{"name": "f", "parameters": {"a": 1}}'), 'f({"a": 1})'),
  ],
  broken: [
    ...broken,
    expectCase(call('{"name": "f", "arguments": "{\\"a\\": "}'), '!arguments-not-an-object'),
    expectCase(call('{"name": "f", "arguments": "plain"}'), '!arguments-not-an-object'),
  ],
};
