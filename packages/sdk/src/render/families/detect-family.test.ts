import { expect, test } from 'vitest';
import { detectFamily } from './detect-family.ts';

const CHATML = "{{ '<|im_start|>' + message.role }}";

test.each([
  ['qwen', 'qwen', `${CHATML}<tool_call>{{ call | tojson }}</tool_call>`],
  ['qwen', 'qwen3_coder', `${CHATML}{{ '<tool_call>\\n<function=' + call.name + '>' }}`],
  ['chatml', 'hermes', CHATML],
  ['deepseek', 'deepseek_v3', "{{ '<｜Assistant｜>' }}{{ '<｜tool▁sep｜>' + name + '\\n```json\\n' + arguments }}"],
  ['deepseek', 'deepseek_v3_1', "{{ '<｜Assistant｜>' }}{{ name + '<｜tool▁sep｜>' + arguments }}"],
  ['deepseek', 'deepseek_v3', "{{ '<｜Assistant｜>' + message.content }}"],
  ['kimi', 'kimi_k2', "{{ '<|im_user|>user<|im_middle|>' }}<|tool_calls_section_begin|>"],
  ['longcat', 'longcat', '[Round 0] USER: <longcat_tool_call>{{ call | tojson }}</longcat_tool_call>'],
  [
    'longcat',
    undefined,
    '<longcat_tool_call>{{ name }}<longcat_arg_key>{{ key }}</longcat_arg_key></longcat_tool_call>',
  ],
  [
    'glm',
    'glm45',
    '<|assistant|>\n<tool_call>{{ name }}\n<arg_key>{{ k }}</arg_key>\n<arg_value>{{ v }}</arg_value>\n</tool_call>',
  ],
  [
    'glm',
    'glm47',
    '<|assistant|><tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value></tool_call>',
  ],
  ['unknown', undefined, '{{ message.content }}'],
])('a template of %s with calls in %s is known by its markers', (name, toolFormat, template) => {
  expect(detectFamily(template)).toMatchObject({ name, toolFormat });
});

test('thinking is switched by the variable that the template asks for', () => {
  const deepseek = "{% if not thinking is defined %}{% endif %}{{ '<｜Assistant｜></think>' }}";
  expect(detectFamily(deepseek)).toMatchObject({ thinkingVariable: 'thinking', reasoning: { open: '<think>' } });
  const glm = '<|assistant|><arg_key>{% if enable_thinking is defined %}</think>{% endif %}';
  expect(detectFamily(glm)).toMatchObject({
    thinkingVariable: 'enable_thinking',
    stopTokens: expect.arrayContaining(['<|observation|>']),
  });
});

test('arguments go to a template of DeepSeek in the form that it prints', () => {
  const read = (part: string): string =>
    detectFamily(`{{ '<｜Assistant｜><｜tool▁sep｜>' }}{{ ${part} }}`).toolArguments;
  expect(read("'x' + tool['function']['arguments'] + 'y'")).toBe('text');
  expect(read("tool['function']['arguments']|tojson")).toBe('object');
});
