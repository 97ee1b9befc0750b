import type { ToolCallFormat } from '@lachesis/protocol';

/** A call as a test means it. Values are JSON; a string is written the way `JSON.stringify` writes it. */
export interface MeantCall {
  readonly name: string;
  readonly values: readonly (readonly [key: string, json: string])[];
}

export interface CallWriter {
  readonly format: ToolCallFormat;
  /** The calls as the model's own template prints them, one behind the other. */
  readonly write: (calls: readonly MeantCall[], place: 'start' | 'behind-text') => string;
  /** The text between two calls, which belongs to neither. */
  readonly gap: string;
  /** The id that the call at that place carries. */
  readonly id?: (call: MeantCall, index: number) => string;
  /** Whether values stand in it without quotes, so that not every text can be told from JSON. */
  readonly hasPlainValues: boolean;
}

/** As Python writes it, and as the events have it. */
export const toJson = ({ values }: MeantCall): string =>
  `{${values.map(([key, json]) => `${JSON.stringify(key)}: ${json}`).join(', ')}}`;

const isText = (json: string): boolean => json.startsWith('"');
const toPlain = (json: string): string => (isText(json) ? (JSON.parse(json) as string) : json);
const toObject = (call: MeantCall, key: string): string =>
  `{"name": ${JSON.stringify(call.name)}, "${key}": ${toJson(call)}}`;

const tagged = (format: ToolCallFormat, tag: string): CallWriter => ({
  format,
  write: (calls) => calls.map((call) => `<${tag}>\n${toObject(call, 'arguments')}\n</${tag}>`).join('\n'),
  gap: '\n',
  hasPlainValues: false,
});

const glm = (format: ToolCallFormat, line: string): CallWriter => ({
  format,
  write: (calls) => calls.map((call) => writeGlm(call, line)).join(line),
  gap: line,
  hasPlainValues: true,
});

function writeGlm({ name, values }: MeantCall, line: string): string {
  const pairs = values.map(
    ([key, json]) => `<arg_key>${key}</arg_key>${line}<arg_value>${toPlain(json)}</arg_value>${line}`,
  );
  return `<tool_call>${name}${line}${pairs.join('')}</tool_call>`;
}

function writeCoder({ name, values }: MeantCall): string {
  const parts = values.map(([key, json]) => `<parameter=${key}>\n${toPlain(json)}\n</parameter>\n`);
  return `<tool_call>\n<function=${name}>\n${parts.join('')}</function>\n</tool_call>`;
}

const deepseek = (format: ToolCallFormat, writeCall: (call: MeantCall) => string, between: string): CallWriter => ({
  format,
  write: (calls) =>
    `<｜tool▁calls▁begin｜>${calls
      .map((call) => `<｜tool▁call▁begin｜>${writeCall(call)}<｜tool▁call▁end｜>`)
      .join(between)}<｜tool▁calls▁end｜>`,
  gap: '',
  hasPlainValues: false,
});

const kimiId = ({ name }: MeantCall, index: number): string => `functions.${name}:${index}`;

export const callWriters: readonly CallWriter[] = [
  tagged('hermes', 'tool_call'),
  tagged('qwen', 'tool_call'),
  tagged('longcat', 'longcat_tool_call'),
  { format: 'qwen3_coder', write: (calls) => calls.map(writeCoder).join('\n'), gap: '\n', hasPlainValues: true },
  glm('glm45', '\n'),
  glm('glm47', ''),
  {
    format: 'llama3_json',
    write: (calls, place) =>
      (place === 'start' ? '' : '<|python_tag|>') + calls.map((call) => toObject(call, 'parameters')).join('; '),
    gap: '',
    hasPlainValues: false,
  },
  {
    format: 'mistral',
    write: (calls) => `[TOOL_CALLS][${calls.map((call) => toObject(call, 'arguments')).join(', ')}]`,
    gap: '',
    hasPlainValues: false,
  },
  deepseek('deepseek_v3', (call) => `function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${toJson(call)}\n\`\`\``, '\n'),
  deepseek('deepseek_v3_1', (call) => `${call.name}<｜tool▁sep｜>${toJson(call)}`, ''),
  {
    format: 'kimi_k2',
    write: (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          (call, index) =>
            `<|tool_call_begin|>${kimiId(call, index)}<|tool_call_argument_begin|>${toJson(call)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
    gap: '',
    id: kimiId,
    hasPlainValues: false,
  },
];
