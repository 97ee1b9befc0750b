import { type CorpusCase, expectCase } from '../../render/call-corpus/corpus.ts';

interface SectionForm {
  readonly begin: string;
  readonly end: string;
  readonly callBegin: string;
  readonly callEnd: string;
  /** What stands between the beginning of a call and its arguments. */
  readonly head: (name: string) => string;
  readonly idOf: (name: string) => string;
}

const deepseek: SectionForm = {
  begin: '<｜tool▁calls▁begin｜>',
  end: '<｜tool▁calls▁end｜>',
  callBegin: '<｜tool▁call▁begin｜>',
  callEnd: '<｜tool▁call▁end｜>',
  head: (name) => `${name}<｜tool▁sep｜>`,
  idOf: () => '',
};

const kimi: SectionForm = {
  begin: '<|tool_calls_section_begin|>',
  end: '<|tool_calls_section_end|>',
  callBegin: '<|tool_call_begin|>',
  callEnd: '<|tool_call_end|>',
  head: (name) => `functions.${name}:0<|tool_call_argument_begin|>`,
  idOf: (name) => `#functions.${name}:0`,
};

function makeGood({ begin, end, callBegin, callEnd, head, idOf }: SectionForm): readonly CorpusCase[] {
  const call = (name: string, json: string): string => `${callBegin}${head(name)}${json}${callEnd}`;
  const want = (name: string, json: string): string => `${name}(${json})${idOf(name)}`;
  return [
    expectCase(begin + call('f', '{}'), want('f', '{}')),
    expectCase(call('f', '{"a": 1}'), want('f', '{"a": 1}')),
    expectCase(`${begin}\n ${call('f', '{\n "a": 1\n}')}\n${end}`, want('f', '{\n "a": 1\n}')),
    expectCase(`${begin}${call('f', `{"s": "${callEnd}"}`)}${end}`, want('f', `{"s": "${callEnd}"}`)),
    expectCase(`${begin}${call('f', ' {"a": 1} ')}${end} after`, want('f', '{"a": 1}'), ' after'),
    expectCase(`${begin}${call('f', '{"k": 1, "k": 2}')} words`, want('f', '{"k": 1, "k": 2}'), ' words'),
  ];
}

function makeBroken({ begin, end, callBegin, callEnd, head, idOf }: SectionForm): readonly CorpusCase[] {
  const call = (name: string, json: string): string => `${callBegin}${head(name)}${json}${callEnd}`;
  const section = (...calls: string[]): string => begin + calls.join('') + end;
  const good = `g({"x": 2})${idOf('g')}`;
  return [
    expectCase(begin, '!unclosed'),
    expectCase(section(), '!bad-marker'),
    expectCase(section('text'), '!bad-marker'),
    expectCase(section('text', call('g', '{"x": 2}')), '!bad-marker', good),
    expectCase(begin + callBegin, '!unclosed'),
    expectCase(`${begin}${callBegin}${head('f')}`, '!unclosed'),
    expectCase(`${begin}${callBegin}${head('f')}{"a": 1`, '!unclosed'),
    expectCase(`${begin}${callBegin}${head('f')}{"a": 1}`, '!unclosed'),
    expectCase(`${begin}${callBegin}${head('f')}{"a": 1}${callEnd.slice(0, -1)}`, '!unclosed'),
    expectCase(section(call('f', '{"a": 1,}')), '!invalid-json'),
    expectCase(section(call('f', "{'a': 1}")), '!invalid-json'),
    expectCase(section(call('f', '{"a": True}')), '!invalid-json'),
    expectCase(section(call('f', '{"a": 1')), '!invalid-json'),
    expectCase(section(call('f', '{"a": "x\ny"}')), '!invalid-json'),
    expectCase(section(call('f', '{"a": 01}')), '!invalid-json'),
    expectCase(section(call('f', '{"a": 1}}')), '!trailing-text'),
    expectCase(section(call('f', '{"a": 1} // note')), '!trailing-text'),
    expectCase(section(call('f', '{"a": 1}{"b": 2}')), '!trailing-text'),
    expectCase(section(call('f', '[1]')), '!invalid-json'),
    expectCase(section(call('f', '[{"a": 1}]')), '!invalid-json'),
    expectCase(section(call('f', '')), '!invalid-json'),
    expectCase(section(call('f', 'null')), '!invalid-json'),
    expectCase(section(call('f', '```json\n{"a": 1}\n```')), '!invalid-json'),
    expectCase(section(call('', '{"a": 1}')), '!missing-name'),
    expectCase(section(`${callBegin}f{"a": 1}${callEnd}`), '!bad-marker'),
    expectCase(section(`${callBegin}{"name": "f", "arguments": {}}${callEnd}`), '!bad-marker'),
    expectCase(section(call('f', '{]'), call('g', '{"x": 2}')), '!invalid-json', good),
    expectCase(section(`${callBegin}${head('f')}`, call('g', '{"x": 2}')), '!invalid-json', good),
    expectCase(`${section(call('f', '{"a": }'))}done`, '!invalid-json', 'done'),
    expectCase(`vor 🎌 ${begin}${call('日', '{"x": "🎌}')}`, 'vor 🎌 ', '!unclosed'),
  ];
}

export const deepseekV31Good = makeGood(deepseek);
export const deepseekV31Broken: readonly CorpusCase[] = [
  ...makeBroken(deepseek),
  expectCase(
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '!invalid-json',
  ),
];

const kimiCall = (id: string): string =>
  `<|tool_calls_section_begin|><|tool_call_begin|>${id}<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>`;

export const kimiGood: readonly CorpusCase[] = [
  ...makeGood(kimi),
  expectCase(kimiCall('f:3'), 'f({})#f:3'),
  expectCase(kimiCall(' functions.f:12 '), 'f({})#functions.f:12'),
  expectCase(kimiCall('functions.mcp.search:0'), 'mcp.search({})#functions.mcp.search:0'),
];
export const kimiBroken: readonly CorpusCase[] = [
  ...makeBroken(kimi),
  expectCase(kimiCall('functions.f'), '!bad-marker'),
  expectCase(kimiCall('call_123'), '!bad-marker'),
  expectCase(kimiCall('functions.f:x'), '!bad-marker'),
  expectCase(kimiCall(''), '!missing-name'),
  expectCase(kimiCall('functions.:0'), '!missing-name'),
];
