import { createTaggedCallParser } from './tagged-calls.ts';
import type { ToolCallParser } from './tool-call-event.ts';

/**
 * Qwen 2.5 and 3 write calls as Hermes does. Their template also prints arguments that are a string, so the models have seen,
 * and write, arguments in quotes; `parameters` is what they fall back to from Llama's prompts.
 */
export function createQwenParser(): ToolCallParser {
  return createTaggedCallParser({
    open: '<tool_call>',
    close: '</tool_call>',
    argumentKeys: ['arguments', 'parameters'],
    allowsQuotedArguments: true,
  });
}
