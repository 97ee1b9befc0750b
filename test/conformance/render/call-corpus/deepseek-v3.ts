import { type CallCorpus, expectCase } from './corpus.ts';

const BEGIN = '<｜tool▁calls▁begin｜>';
const END = '<｜tool▁calls▁end｜>';
const call = (name: string, json: string): string =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜>`;
const section = (...calls: string[]): string => BEGIN + calls.join('\n') + END;

export const deepseekV3Corpus: CallCorpus = {
  format: 'deepseek_v3',
  good: [
    expectCase('no call', 'no call'),
    expectCase('<｜tool▁calls is not it <｜', '<｜tool▁calls is not it <｜'),
    expectCase(section(call('f', '{}')), 'f({})'),
    expectCase(BEGIN + call('f', '{"a": 1.0}'), 'f({"a": 1.0})'),
    expectCase(call('f', '{"a": 1}'), 'f({"a": 1})'),
    expectCase(section(call('a', '{}'), call('b', '{"x": [1, {"y": 2}]}')), 'a({})', 'b({"x": [1, {"y": 2}]})'),
    expectCase(`Let me see.${section(call('f', '{"日": "🎌"}'))}`, 'Let me see.', 'f({"日": "🎌"})'),
    expectCase(`${section(call('f', '{"s": "```"}'))} after`, 'f({"s": "```"})', ' after'),
    expectCase(section(call('f', '{"s": "<｜tool▁call▁end｜>"}')), 'f({"s": "<｜tool▁call▁end｜>"})'),
    expectCase(`${BEGIN}\n ${call('f', '{\n  "a": 1e-7\n}')}\n${END}`, 'f({\n  "a": 1e-7\n})'),
    expectCase(`${section(call('a', '{}'))}${section(call('b', '{}'))}`, 'a({})', 'b({})'),
    expectCase(`${BEGIN}${call('a', '{}')} and then words`, 'a({})', ' and then words'),
  ],
  broken: [
    expectCase(BEGIN, '!unclosed'),
    expectCase(`${BEGIN}${END}`, '!bad-marker'),
    expectCase(`${BEGIN}text${END}`, '!bad-marker'),
    expectCase(`${BEGIN}text${call('f', '{}')}${END}`, '!bad-marker', 'f({})'),
    expectCase(`${BEGIN}<｜tool▁call▁begin｜>`, '!unclosed'),
    expectCase(`${BEGIN}<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n\`\`\`json\n{"a": 1`, '!unclosed'),
    expectCase(`${BEGIN}<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n\`\`\`json\n{"a": 1}\n`, '!unclosed'),
    expectCase(`${BEGIN}<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n\`\`\`json\n{"a": 1}\n\`\`\``, '!unclosed'),
    expectCase(section(call('f', '{"a": 1,}')), '!invalid-json'),
    expectCase(section(call('f', "{'a': 1}")), '!invalid-json'),
    expectCase(section(call('f', '{"a": True}')), '!invalid-json'),
    expectCase(section(call('f', '{"a": 1')), '!invalid-json'),
    expectCase(section(call('f', '{"a": "x\ny"}')), '!invalid-json'),
    expectCase(section(call('f', '{"a": 1}}')), '!trailing-text'),
    expectCase(section(call('f', '{"a": 1} // note')), '!trailing-text'),
    expectCase(section(call('f', '[1]')), '!invalid-json'),
    expectCase(section(call('f', '')), '!invalid-json'),
    expectCase(section(call('f', 'null')), '!invalid-json'),
    expectCase(section(call('', '{"a": 1}')), '!missing-name'),
    expectCase(section('<｜tool▁call▁begin｜>function f\n```json\n{}\n```<｜tool▁call▁end｜>'), '!bad-marker'),
    expectCase(section('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f {"a": 1}<｜tool▁call▁end｜>'), '!bad-marker'),
    expectCase(section('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n{"a": 1}<｜tool▁call▁end｜>'), '!bad-marker'),
    expectCase(
      section('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{"a": 1}<｜tool▁call▁end｜>'),
      '!trailing-text',
    ),
    expectCase(
      section('<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n``` x<｜tool▁call▁end｜>'),
      '!trailing-text',
    ),
    expectCase(section(call('f', '{]'), call('g', '{"x": 2}')), '!invalid-json', 'g({"x": 2})'),
    expectCase(
      `${BEGIN}<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n${call('g', '{}')}${END}`,
      '!bad-marker',
      'g({})',
    ),
    expectCase(`${section(call('f', '{"a": }'))}done`, '!invalid-json', 'done'),
    expectCase(`vor 🎌 ${BEGIN}${call('日', '{"x": "🎌}')}`, 'vor 🎌 ', '!invalid-json'),
  ],
};
