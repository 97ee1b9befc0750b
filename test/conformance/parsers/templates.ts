import type { ToolCallFormat } from '@lachesis/protocol';

/** The part of a template that prints calls, in the shape in which the models' own templates have it. */
export const CALL_TEMPLATES: Readonly<Record<ToolCallFormat, string>> = {
  hermes:
    '{% for c in calls %}{{ "\n" if not loop.first }}<tool_call>\n{"name": "{{ c.name }}", "arguments": {{ c.arguments | tojson }}}\n</tool_call>{% endfor %}',
  qwen: '{% for c in calls %}{{ "\n" if not loop.first }}<tool_call>\n{"name": "{{ c.name }}", "arguments": {{ c.arguments | tojson }}}\n</tool_call>{% endfor %}',
  longcat:
    '{% for c in calls %}<longcat_tool_call>\n{{ {"name": c.name, "arguments": c.arguments} | tojson }}\n</longcat_tool_call>\n{% endfor %}',
  qwen3_coder:
    '{% for c in calls %}{{ "<tool_call>\n<function=" + c.name + ">\n" }}{% for k, v in c.arguments | items %}{{ "<parameter=" + k + ">\n" }}' +
    '{{ v | tojson if v is mapping or (v is sequence and v is not string) else v | string }}{{ "\n</parameter>\n" }}{% endfor %}{{ "</function>\n</tool_call>" }}{% endfor %}',
  glm45:
    '{% for c in calls %}{{ "\n<tool_call>" + c.name + "\n" }}{% for k, v in c.arguments.items() %}<arg_key>{{ k }}</arg_key>{{ "\n" }}' +
    '<arg_value>{{ v | tojson if v is not string else v }}</arg_value>{{ "\n" }}{% endfor %}</tool_call>{% endfor %}',
  glm47:
    '{% for c in calls %}<tool_call>{{ c.name }}{% for k, v in c.arguments.items() %}<arg_key>{{ k }}</arg_key>' +
    '<arg_value>{{ v | tojson if v is not string else v }}</arg_value>{% endfor %}</tool_call>{% endfor %}',
  llama3_json:
    '{% for c in calls %}{{ "; " if not loop.first }}{"name": "{{ c.name }}", "parameters": {{ c.arguments | tojson }}}{% endfor %}',
  mistral:
    '[TOOL_CALLS][{% for c in calls %}{{ ", " if not loop.first }}{"name": "{{ c.name }}", "arguments": {{ c.arguments | tojson }}}{% endfor %}]',
  deepseek_v3:
    '<｜tool▁calls▁begin｜>{% for c in calls %}{{ "\n" if not loop.first }}<｜tool▁call▁begin｜>function<｜tool▁sep｜>{{ c.name }}\n```json\n{{ c.arguments | tojson }}\n```<｜tool▁call▁end｜>{% endfor %}<｜tool▁calls▁end｜>',
  deepseek_v3_1:
    '<｜tool▁calls▁begin｜>{% for c in calls %}<｜tool▁call▁begin｜>{{ c.name }}<｜tool▁sep｜>{{ c.arguments | tojson }}<｜tool▁call▁end｜>{% endfor %}<｜tool▁calls▁end｜>',
  kimi_k2:
    '<|tool_calls_section_begin|>{% for c in calls %}<|tool_call_begin|>functions.{{ c.name }}:{{ loop.index0 }}<|tool_call_argument_begin|>{{ c.arguments | tojson }}<|tool_call_end|>{% endfor %}<|tool_calls_section_end|>',
};
