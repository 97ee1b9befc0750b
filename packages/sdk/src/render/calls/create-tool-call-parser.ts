import type { ToolCallFormat } from '@lachesis/protocol';
import { createDeepseekV31Parser, createDeepseekV3Parser } from './deepseek.ts';
import { createGlmParser } from './glm.ts';
import { createKimiK2Parser } from './kimi-k2.ts';
import { createLlama3JsonParser } from './llama3-json.ts';
import { createMistralParser } from './mistral.ts';
import { createQwen3CoderParser } from './qwen3-coder.ts';
import { createTaggedCallParser } from './tagged-calls.ts';
import type { ToolCallEvent, ToolCallParser } from './tool-call-event.ts';

export interface ToolCallParserOptions {
  readonly format: ToolCallFormat;
  /**
   * The tools that were offered, as the chat APIs have them. Where a format writes values without quotes, their schemas say
   * which are text; without a schema `7` is a number and `true` no word.
   */
  readonly tools?: readonly Readonly<Record<string, unknown>>[] | undefined;
}

type Tools = readonly Readonly<Record<string, unknown>>[];

const PARSERS: Readonly<Record<ToolCallFormat, (tools: Tools) => ToolCallParser>> = {
  // As the Hermes models write it: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`.
  hermes: () => createTaggedCallParser({ open: '<tool_call>', close: '</tool_call>', argumentKeys: ['arguments'] }),
  // Qwen 2.5 and 3 write calls as Hermes does. Their template also prints arguments that are a string, so the models have
  // seen, and write, arguments in quotes; `parameters` is what they fall back to from Llama's prompts.
  qwen: () =>
    createTaggedCallParser({
      open: '<tool_call>',
      close: '</tool_call>',
      argumentKeys: ['arguments', 'parameters'],
      allowsQuotedArguments: true,
    }),
  qwen3_coder: (tools) => createQwen3CoderParser({ tools }),
  llama3_json: createLlama3JsonParser,
  mistral: createMistralParser,
  deepseek_v3: createDeepseekV3Parser,
  deepseek_v3_1: createDeepseekV31Parser,
  kimi_k2: createKimiK2Parser,
  // As Hermes, between tags of its own.
  longcat: () =>
    createTaggedCallParser({
      open: '<longcat_tool_call>',
      close: '</longcat_tool_call>',
      argumentKeys: ['arguments'],
    }),
  glm45: (tools) => createGlmParser({ tools, hasNameLine: true }),
  glm47: (tools) => createGlmParser({ tools, hasNameLine: false }),
};

/** A parser for one reply; make a new one for the next. */
export function createToolCallParser(options: ToolCallParserOptions): ToolCallParser {
  return PARSERS[options.format](options.tools ?? []);
}

/** Reads a whole reply at once; neighbouring texts come as one. */
export function parseToolCalls(options: ToolCallParserOptions & { readonly text: string }): ToolCallEvent[] {
  const parser = createToolCallParser(options);
  return joinTexts([...parser.push(options.text), ...parser.end()]);
}

/** The same events whatever the pieces were. */
export function joinTexts(events: readonly ToolCallEvent[]): ToolCallEvent[] {
  const joined: ToolCallEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === 'text-delta' && last?.type === 'text-delta') {
      joined[joined.length - 1] = { type: 'text-delta', text: last.text + event.text };
    } else {
      joined.push(event);
    }
  }
  return joined;
}
