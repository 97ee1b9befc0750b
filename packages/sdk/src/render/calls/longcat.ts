import { createTaggedCallParser } from './tagged-calls.ts';
import type { ToolCallParser } from './tool-call-event.ts';

/** As Hermes, between tags of its own. */
export function createLongcatParser(): ToolCallParser {
  return createTaggedCallParser({
    open: '<longcat_tool_call>',
    close: '</longcat_tool_call>',
    argumentKeys: ['arguments'],
  });
}
