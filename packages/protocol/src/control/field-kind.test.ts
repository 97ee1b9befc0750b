import { expect, test } from 'vitest';
import { findExcess } from './bounded-value.ts';
import { configEditSchema } from './config.ts';
import { judgeFieldKind } from './field-kind.ts';
import { runRequestSchema } from './run.ts';

const kindOf = (name: string, type = 'string', value?: unknown) => judgeFieldKind({ name, type }, value);

test('what nobody declared is taken for the stricter by its name', () => {
  const names = {
    path: [
      'dataset_path',
      'evalDatasetPath',
      'prompts_file',
      'data_dir',
      'output',
      'DATASET',
      'cache',
      'file_name',
      'files2',
    ],
    url: ['reward_url', 'judge_endpoint', 'api', 'webhook', 'base_url', 'vllm_host', 'inference_server'],
    code: ['reward', 'reward_fn', 'grader', 'start_command', 'setup_script', 'python_module', 'test_code', 'loader'],
    value: ['style', 'digit', 'language', 'system_prompt', 'answer_prefix', 'split', 'difficulty', 'dataset_name'],
  };
  for (const [kind, all] of Object.entries(names)) {
    expect(all.map((name) => [name, kindOf(name)])).toEqual(all.map((name) => [name, kind]));
  }
  expect(kindOf('reward_timeout', 'number')).toBe('value');
  expect(kindOf('files', 'list')).toBe('path');
  expect(kindOf('source', 'a|b')).toBe('value');
  expect(kindOf('trust_remote_code', 'boolean')).toBe('code');
  expect(kindOf('use_cache', 'boolean')).toBe('value');
});

test('or by its value, and what is declared is as declared', () => {
  for (const value of [
    '/etc/passwd',
    'http://a',
    'file:///x',
    '~/x',
    '../x',
    'a/../../b',
    '\\\\host\\x',
    'C:\\x',
    ['a', '/b'],
    { x: { y: '//h' } },
  ]) {
    expect(kindOf('style', 'string', value)).toBe('path');
  }
  for (const value of ['short', 'a/b', 'see http://a for more', 'and/or', 'wait...', 3, null]) {
    expect(kindOf('style', 'string', value)).toBe('value');
  }
  expect(judgeFieldKind({ name: 'reward_path', type: 'string', kind: 'value' }, '/x')).toBe('value');
  expect(judgeFieldKind({ name: 'style', type: 'string', kind: 'code' })).toBe('code');
  expect(judgeFieldKind({ name: 'style', type: 'string', default: '/srv/data' })).toBe('path');
});

test('a setting has bounds, and what is beyond them is told and not walked', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
  expect(configEditSchema.safeParse({ field: 'a', value: deep }).error?.issues[0]?.message).toContain('nested deeper');
  expect(runRequestSchema.safeParse({ config: { a: deep } }).error?.issues[0]?.message).toContain('nested deeper');
  expect(runRequestSchema.safeParse({ config: 'x' }).success).toBe(false);
  expect(findExcess(Array.from({ length: 20_000 }, () => 0))).toContain('more than');
  expect(findExcess('a'.repeat(300_000))).toContain('longer than');
  expect(runRequestSchema.safeParse(JSON.parse('{"config":{"__proto__":{"a":1}}}')).success).toBe(false);
  expect(runRequestSchema.parse({ config: { group_size: 4, list: [[['a']]] } }).config).toEqual({
    ...{ group_size: 4, list: [[['a']]] },
  });
});
