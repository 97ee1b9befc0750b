import { describe, expect, test } from 'vitest';
import { ingestText, listIssues, readField, writeBody } from '../reference.fixture.ts';

/* What pydantic 2.14 makes of a value, as observed: either the text it is written back as, or the type of its error. */

const ints: [sent: string, becomes: string][] = [
  ['5', '5'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['1.0', '1'],
  ['1e2', '100'],
  ['1E2', '100'],
  ['1e18', '1000000000000000000'],
  ['9223372036854775808', '9223372036854775808'],
  ['9007199254740993.0', '9007199254740992'],
  ['true', '1'],
  ['false', '0'],
  ['"5"', '5'],
  ['" 5 "', '5'],
  ['"\\u00a05\\u0085"', '5'],
  ['"5.0"', '5'],
  ['"5.00"', '5'],
  ['"1_000"', '1000'],
  ['"1_0.0"', '10'],
  ['"0__1"', '1'],
  ['"0-1"', '-1'],
  ['"+5"', '5'],
  ['"-05"', '-5'],
  ['"-0"', '0'],
  ['"00"', '0'],
  ['"12345678901234567890123"', '12345678901234567890123'],
  [`"${'0'.repeat(5000)}1"`, '1'],
  ['1.5', 'int_from_float'],
  ['1e20', 'int_parsing_size'],
  ['-9.3e18', 'int_parsing_size'],
  ['1e999', 'finite_number'],
  ['NaN', 'finite_number'],
  ['-Infinity', 'finite_number'],
  ['"5.5"', 'int_parsing'],
  ['"5."', 'int_parsing'],
  ['"1__0"', 'int_parsing'],
  ['"_1"', 'int_parsing'],
  ['"1e2"', 'int_parsing'],
  ['"0x10"', 'int_parsing'],
  ['""', 'int_parsing'],
  ['"５"', 'int_parsing'],
  ['"\\ufeff5"', 'int_parsing'],
  ['"\\ud800"', 'string_unicode'],
  [`"${'1'.repeat(4301)}"`, 'int_parsing_size'],
  ['null', 'int_type'],
  ['[]', 'int_type'],
  ['{"a": NaN}', 'int_type'],
];

const floats: [sent: string, becomes: string][] = [
  ['5', '5.0'],
  ['-0', '0.0'],
  ['-0.0', '-0.0'],
  ['true', '1.0'],
  ['false', '0.0'],
  ['9007199254740993', '9007199254740992.0'],
  [`1${'0'.repeat(308)}`, '1e+308'],
  ['"5"', '5.0'],
  ['" 5 "', '5.0'],
  ['"1_000.5"', '1000.5'],
  ['"1_e5"', '100000.0'],
  ['".5"', '0.5'],
  ['"5."', '5.0'],
  ['"nan"', 'NaN'],
  ['"-NaN"', 'NaN'],
  ['"inf"', 'Infinity'],
  ['"-Infinity"', '-Infinity'],
  ['"1e999"', 'Infinity'],
  ['"1e-400"', '0.0'],
  ['"-0"', '-0.0'],
  [`1${'0'.repeat(309)}`, 'float_type'],
  ['null', 'float_type'],
  ['[]', 'float_type'],
  ['""', 'float_parsing'],
  ['"1_0 "', 'float_parsing'],
  ['"1__0"', 'float_parsing'],
  ['"0x10"', 'float_parsing'],
  ['"infinit"', 'float_parsing'],
  ['"１"', 'float_parsing'],
];

describe.each([
  ['int', ints, 'tokens', (text: string) => `[[7, ${text}]]`, '7'],
  ['float', floats, 'ref_logprobs', (text: string) => `[[7, ${text}]]`, '7.0'],
])('a list of %s', (_, cases, field, wrap, seven) => {
  test.each(cases)('takes %s as %s', (sent, becomes) => {
    const text = writeBody({ [field]: wrap(sent) });
    if (/^[a-z]+_/.test(becomes)) expect(listIssues(ingestText(text))).toEqual([`${becomes}@body.${field}.0.1`]);
    else expect(readField(text, field)).toBe(`[[${seven},${becomes}]]`);
  });
});

test.each([
  ['null', 'null'],
  ['"5"', '5'],
  ['true', '1'],
  ['-1', '-1'],
])('env_id %s is written as %s', (sent, becomes) => {
  expect(readField(writeBody({ env_id: sent }), 'env_id')).toBe(becomes);
});

describe('issues', () => {
  test.each([
    ['tokens', 'null', 'list_type@body.tokens'],
    ['tokens', '[[1], 2]', 'list_type@body.tokens.1'],
    ['scores', '{}', 'list_type@body.scores'],
    ['env_id', '1.5', 'int_from_float@body.env_id'],
    ['distill_token_ids', '[[[1], 5]]', 'list_type@body.distill_token_ids.0.1'],
    ['distill_logprobs', '[[[1, "2", true, null]]]', 'float_type@body.distill_logprobs.0.0.3'],
    ['generation_params', '[]', 'dict_type@body.generation_params'],
    ['group_overrides', '"x"', 'dict_type@body.group_overrides'],
    ['overrides', '[{}, null]', 'dict_type@body.overrides.1'],
    ['messages', '{}', 'list_type@body.messages'],
    ['messages', '[{}]', 'list_type@body.messages.0'],
    ['messages', '[[], [{"role": 1, "content": 2}, 5]]', 'dict_type@body.messages.1.1'],
    ['messages', '[["x"], [{"role": 1}]]', 'value_error@body.messages'],
  ])('%s = %s: %s', (field, value, issue) => {
    expect(listIssues(ingestText(writeBody({ [field]: value })))).toEqual([issue]);
  });

  test('accept messages with the two keys, whatever their values', () => {
    const messages = '[[],[{"r\\u006fle":null,"content":[{}],"reward":1}]]';
    expect(readField(writeBody({ messages }), 'messages')).toBe(messages);
  });

  test('come in the order of the fields, absent ones included', () => {
    expect(listIssues(ingestText('{"env_id": [], "masks": [["x", 1.5]]}'))).toEqual([
      'missing@body.tokens',
      'int_parsing@body.masks.0.0',
      'int_from_float@body.masks.0.1',
      'missing@body.scores',
      'int_type@body.env_id',
    ]);
  });

  test('stop at twenty', () => {
    expect(listIssues(ingestText(writeBody({ scores: `[${Array(100).fill('null').join(',')}]` })))).toHaveLength(20);
  });

  test('name the element of a list, and one bad element refuses all', () => {
    expect(listIssues(ingestText(`[${writeBody({})}, ${writeBody({ scores: '[[]]' })}, 5]`, 'list'))).toEqual([
      'float_type@body.1.scores.0',
      'model_attributes_type@body.2',
    ]);
  });

  test('never echo what was sent', () => {
    expect(JSON.stringify(ingestText(writeBody({ scores: '["secret"]' })))).not.toContain('secret');
  });
});
