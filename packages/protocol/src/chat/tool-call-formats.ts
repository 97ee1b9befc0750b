/** The ways in which models write tool calls into their replies. */
export const TOOL_CALL_FORMATS = Object.freeze([
  'hermes',
  'qwen',
  'qwen3_coder',
  'llama3_json',
  'mistral',
  'deepseek_v3',
  'deepseek_v3_1',
  'kimi_k2',
  'longcat',
  'glm45',
  'glm47',
] as const);

export type ToolCallFormat = (typeof TOOL_CALL_FORMATS)[number];
