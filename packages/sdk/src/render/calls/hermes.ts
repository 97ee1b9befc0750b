import { createTaggedCallParser } from './tagged-calls.ts';
import type { ToolCallParser } from './tool-call-event.ts';

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, as the Hermes models write it. */
export function createHermesParser(): ToolCallParser {
  return createTaggedCallParser({ open: '<tool_call>', close: '</tool_call>', argumentKeys: ['arguments'] });
}
