import { type CorpusCase, expectCase } from '../../render/call-corpus/corpus.ts';

const coder = (body: string): string => `<tool_call>\n${body}\n</tool_call>`;
const fn = (name: string, body: string): string => `<function=${name}>\n${body}</function>`;
const par = (key: string, value: string): string => `<parameter=${key}>\n${value}\n</parameter>\n`;

export const qwen3CoderGood: readonly CorpusCase[] = [
  expectCase('<tool_call><function=f><parameter=a>1</parameter></function></tool_call>', 'f({"a": 1})'),
  expectCase(coder(fn('f', par('a', 'True') + par('b', 'None'))), 'f({"a": true, "b": null})'),
  expectCase(coder(fn('f', par('a', '1') + par('a', '2'))), 'f({"a": 2})'),
  expectCase(coder(fn('f', par('a', '\n two \n'))), 'f({"a": "\\n two \\n"})'),
  expectCase(coder(fn('f', par('a', '007') + par('b', '1,2'))), 'f({"a": "007", "b": "1,2"})'),
  expectCase(coder(`${fn('f', '')}\n${fn('g', par('a', '1'))}`), 'f({})', 'g({"a": 1})'),
  expectCase(`Bare: ${fn('f', par('a', 'x'))}`, 'Bare: ', 'f({"a": "x"})'),
  expectCase(`${fn('f', par('a', 'x'))}\n</tool_call> ok`, 'f({"a": "x"})', ' ok'),
  expectCase(coder(fn('f', par('a', '<parameters> <functions>'))), 'f({"a": "<parameters> <functions>"})'),
];

export const qwen3CoderBroken: readonly CorpusCase[] = [
  expectCase('<tool_call>', '!unclosed'),
  expectCase('<tool_call>\n<function=f', '!unclosed'),
  expectCase(`<tool_call>\n${fn('f', par('a', '1'))}`, '!unclosed'),
  expectCase('<tool_call>\n<function=f>\n<parameter=a>\n1', '!unclosed'),
  expectCase('<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n', '!unclosed'),
  expectCase('<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_cal', '!unclosed'),
  expectCase(coder(''), '!bad-marker'),
  expectCase(coder('{"name": "f", "arguments": {}}'), '!trailing-text'),
  expectCase(coder('f(a=1)'), '!trailing-text'),
  expectCase(coder('<function=>\n</function>'), '!missing-name'),
  expectCase(coder('<function=  >\n</function>'), '!missing-name'),
  expectCase(coder('<function=f\n</function>'), '!bad-marker'),
  expectCase(coder('<function=f>'), '!bad-marker'),
  expectCase(coder('<function=f>\n<parameter=a>\n1\n</function>'), '!bad-marker'),
  expectCase(coder('<function=f>\n<parameter=a>\n1\n</parameter>'), '!bad-marker'),
  expectCase(coder('<function=f>\n<parameter=a>1<parameter=b>2</parameter>\n</function>'), '!bad-marker'),
  expectCase(coder('<function=f>\n<parameter=>\n1\n</parameter>\n</function>'), '!bad-marker'),
  expectCase(coder('<function=f>\n<parameter=a\n1\n</parameter>\n</function>'), '!bad-marker'),
  expectCase(coder(`<function=f>\nwords\n${par('a', '1')}</function>`), '!bad-marker'),
  expectCase(coder(`${fn('f', '')} and more`), '!trailing-text'),
  expectCase(coder(`so ${fn('f', '')}`), '!bad-marker'),
  expectCase(coder(`${fn('f', '')}\n<function=g>\n<parameter=a>`), '!bad-marker'),
  expectCase(coder(fn('f', par('a', 'one </parameter> two'))), '!bad-marker'),
  expectCase(coder(fn('f', '<param=a>1</param>')), '!bad-marker'),
  expectCase('<function=f>\n<parameter=a>\n1', '!unclosed'),
  expectCase(`<function=f>\n${coder(fn('g', ''))}`, '!unclosed', 'g({})'),
  expectCase('<function=f>\n<parameter=a>\n1\n</tool_call> ok', '!bad-marker', ' ok'),
  expectCase(
    `<tool_call>\n<function=f>\n<parameter=a>\n1\n${coder(fn('g', par('x', '2')))}`,
    '!unclosed',
    'g({"x": 2})',
  ),
  expectCase(`${coder('<function=f>')} ok ${coder(fn('g', ''))}`, '!bad-marker', ' ok ', 'g({})'),
  expectCase(`vor 🎌 ${coder('<function=日>\n<parameter=x>🎌')} nach`, 'vor 🎌 ', '!bad-marker', ' nach'),
];

const block = (body: string): string => `<tool_call>${body}</tool_call>`;

/** The cases of both forms; `line` is what stands between tags. */
const glmGood = (line: string): readonly CorpusCase[] => {
  const pair = (key: string, value: string): string =>
    `<arg_key>${key}</arg_key>${line}<arg_value>${value}</arg_value>${line}`;
  return [
    expectCase(block(`f${line}${pair('a', '1')}${pair('a', '2')}`), 'f({"a": 2})'),
    expectCase(block(`f${line}${pair('a', ' 1 ')}`), 'f({"a": 1})'),
    expectCase(block(`f${line}${pair('a', ' x\n')}`), 'f({"a": " x\\n"})'),
    expectCase(block(`f${line}${pair('a', '"in quotes"')}`), 'f({"a": "in quotes"})'),
    expectCase(block(`f${line}${pair('a', '{"k": [1, 2]')}`), 'f({"a": "{\\"k\\": [1, 2]"})'),
    expectCase(block(`f\n${pair(' a ', '01')}`), 'f({"a": "01"})'),
    expectCase(block(`f\n\n${pair('a', '1')}\n ${pair('b', '2')}\n`), 'f({"a": 1, "b": 2})'),
  ];
};

const glmBroken = (line: string): readonly CorpusCase[] => {
  const pair = (key: string, value: string): string =>
    `<arg_key>${key}</arg_key>${line}<arg_value>${value}</arg_value>${line}`;
  const good = block(`g${line}${pair('x', '2')}`);
  return [
    expectCase('<tool_call>', '!unclosed'),
    expectCase('<tool_call>f', '!unclosed'),
    expectCase(`<tool_call>f${line}<arg_key>a</arg_ke`, '!unclosed'),
    expectCase(`<tool_call>f${line}<arg_key>a</arg_key>${line}<arg_value>1`, '!unclosed'),
    expectCase(`<tool_call>f${line}${pair('a', '1')}`, '!unclosed'),
    expectCase(`<tool_call>f${line}${pair('a', '1')}</tool_call`, '!unclosed'),
    expectCase(block(''), '!missing-name'),
    expectCase(block(' \n '), '!missing-name'),
    expectCase(block(`\n${pair('a', '1')}`), '!missing-name'),
    expectCase(block(`two words\n${pair('a', '1')}`), '!bad-marker'),
    expectCase(block('{"name": "f", "arguments": {}}'), '!bad-marker'),
    expectCase(block('{"name": "f", "arguments": {}}\n'), '!bad-marker'),
    expectCase(block(`f\nwords`), line === '' ? '!bad-marker' : '!trailing-text'),
    expectCase(block(`f\n${pair('a', '1')}words`), '!trailing-text'),
    expectCase(block(`f\nwords ${pair('a', '1')}`), '!bad-marker'),
    expectCase(block(`f\n${pair('', '1')}`), '!bad-marker'),
    expectCase(block('f\n<arg_key>a</arg_key>\n'), '!bad-marker'),
    expectCase(block('f\n<arg_value>1</arg_value>\n'), '!bad-marker'),
    expectCase(block('f\n<arg_key>a<arg_value>1</arg_value>\n'), '!bad-marker'),
    expectCase(block('f\n<arg_key>a</arg_key>\n1</arg_value>\n'), '!bad-marker'),
    expectCase(block('f\n<arg_key>a</arg_key>\n<arg_value>1\n'), '!bad-marker'),
    expectCase(block(`f\n<arg_key>a</arg_key>\n<arg_value>1${pair('b', '2')}`), '!bad-marker'),
    expectCase(block(`f\n${pair('a', 'one </arg_value> two')}`), '!bad-marker'),
    expectCase(`<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>${good}`, '!unclosed', 'g({"x": 2})'),
    expectCase(`${block('f\n<arg_key>')} ok ${good}`, '!bad-marker', ' ok ', 'g({"x": 2})'),
    expectCase(`vor 🎌 ${block('日\n<arg_value>🎌')} nach`, 'vor 🎌 ', '!bad-marker', ' nach'),
  ];
};

export const glm45Good: readonly CorpusCase[] = glmGood('\n');
export const glm45Broken: readonly CorpusCase[] = [
  ...glmBroken('\n'),
  expectCase(block('f'), '!bad-marker'),
  expectCase(block('f<arg_key>a</arg_key><arg_value>1</arg_value>'), '!bad-marker'),
];
export const glm47Good: readonly CorpusCase[] = [...glmGood(''), ...glmGood('\n'), expectCase(block('f'), 'f({})')];
export const glm47Broken: readonly CorpusCase[] = glmBroken('');
