import type { ConversationRecord } from '@lachesis/protocol';
import { textOf } from '../../records/message-parts.ts';
import { isJsonObject, memberOf, parsePythonJson } from '../../records/python/parse-python-json.ts';
import { strip } from '../../records/python/python-space.ts';

export interface ToolCount {
  count: number;
  success: number;
  failure: number;
}

/** How often each tool was called and how that went, by the rules of Hermes' batch runner. Offered tools are there with zeros. */
export function countTools({
  messages,
  tools,
}: Pick<ConversationRecord, 'messages' | 'tools'>): Map<string, ToolCount> {
  const counts = new Map<string, ToolCount>();
  const at = (name: string): ToolCount => {
    const known = counts.get(name) ?? { count: 0, success: 0, failure: 0 };
    counts.set(name, known);
    return known;
  };
  for (const tool of tools ?? []) if (tool.function !== undefined) at(tool.function.name);
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const call of message.tool_calls ?? []) {
      at(call.function.name).count += 1;
      if (typeof call.id === 'string') names.set(call.id, call.function.name);
    }
    const name = message.role === 'tool' ? names.get(message.tool_call_id ?? '') : undefined;
    if (name !== undefined) at(name)[isFailure(textOf(message).text) ? 'failure' : 'success'] += 1;
  }
  return counts;
}

/** An error in the JSON, or a text that says so; an exit code is the business of the program that was run. */
function isFailure(content: string): boolean {
  let value;
  try {
    value = parsePythonJson(content);
  } catch {
    // Not JSON: what it says decides.
    return content === '' || strip(content).toLowerCase().startsWith('error:');
  }
  if (!isJsonObject(value)) return false;
  const inner = memberOf(value, 'content');
  const errors = [memberOf(value, 'error'), memberOf(inner, 'error')];
  return errors.some((error) => error !== undefined && error !== null) || memberOf(value, 'success') === false;
}
