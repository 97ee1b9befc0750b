import type { ToolCallFormat } from '@lachesis/protocol';

export interface Compared {
  readonly format: ToolCallFormat;
  readonly text: string;
  /** `name arguments`, the arguments without superfluous spaces. */
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface Disagreement {
  readonly why: string;
  readonly isMeant: (compared: Compared) => boolean;
}

const squeeze = (call: string): string => call.replaceAll(/\\n|\s+/g, '');
const isSection = (format: string): boolean => /^(?:deepseek|kimi)/.test(format);

/** Good replies of which vLLM makes something else, and why we do not follow. */
export const disagreements: readonly Disagreement[] = [
  {
    why: 'a number beyond a double becomes Infinity in Python, which is no JSON; the text of ours keeps what was written',
    isMeant: ({ text }) => text.includes('1e400'),
  },
  {
    why: 'a marker inside a JSON string is text of the string; vLLM cuts there',
    isMeant: ({ text }) =>
      /"s": ?"[^"]*(?:<\/(?:longcat_)?tool_call>|tool▁call▁end|tool_call_end|\[TOOL_CALLS\])/.test(text),
  },
  {
    why: 'Qwen and Mistral also write arguments in quotes, and Qwen also calls them parameters',
    isMeant: ({ format, text }) =>
      (format === 'qwen' || format === 'mistral') && /"arguments": "\{|"parameters": \{/.test(text),
  },
  {
    why: 'white space of a text value is part of it; vLLM trims it',
    isMeant: ({ format, ours, theirs }) =>
      format.startsWith('glm') && ours.map(squeeze).join() === theirs.map(squeeze).join(),
  },
  {
    why: 'a line end behind the name is not part of it; vLLM keeps it there, and then finds no schema by that name',
    isMeant: ({ format, theirs }) => format === 'glm47' && theirs.some((call) => /^\w+\n/.test(call)),
  },
  {
    why: 'a call without arguments is a call',
    isMeant: ({ format, text, theirs }) =>
      format === 'glm47' && /<tool_call>\w+<\/tool_call>/.test(text) && theirs.length === 0,
  },
  {
    why: 'without the tag, JSON in the middle of words is an answer and no call; and braces before the tag are words',
    isMeant: ({ format, text }) => format === 'llama3_json' && /^(?:text with|\{not: a call\})/.test(text),
  },
  {
    why: 'the forms of Mistral are told apart by the reply; vLLM tells them apart by the tokenizer, and reads one list',
    isMeant: ({ format, text }) =>
      format === 'mistral' && (/\[TOOL_CALLS\]\s*[^[\s]/.test(text) || text.split('[TOOL_CALLS]').length > 2),
  },
  {
    why: 'neither the beginning of a section nor the place of line ends is needed to read a call',
    isMeant: ({ format, text, theirs }) =>
      isSection(format) && theirs.length === 0 && (!/calls(?:▁|_section_)begin/.test(text) || /\{\s*\n/.test(text)),
  },
  {
    why: 'a name may hold points',
    isMeant: ({ format, text }) => format === 'kimi_k2' && text.includes('functions.mcp.search'),
  },
];
