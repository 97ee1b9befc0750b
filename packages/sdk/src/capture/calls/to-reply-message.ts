import { type ChatMessage, isRecord, type OfferedTool, toChatMessage } from '@lachesis/protocol';
import { asText } from './json-shapes.ts';

/** What a model said, the same whether it came whole or in pieces. */
export function toReplyMessage(value: unknown): ChatMessage {
  const message = toChatMessage(value, 'assistant');
  // Beside calls alone, an empty text is null in a whole reply and empty in a streamed one.
  if (message.content === '' && message.tool_calls !== undefined) message.content = null;
  return message;
}

/** The tools of a request; null when there are none. */
export function toOfferedTools(value: unknown): OfferedTool[] | null {
  if (!Array.isArray(value)) return null;
  const tools = value.filter(isRecord).map((tool): OfferedTool => {
    const { type, function: offered, ...rest } = tool;
    const kind = asText(type) ?? 'function';
    if (!isRecord(offered)) return { ...rest, type: kind };
    const { name, description, ...others } = offered;
    const described = typeof description === 'string' ? { description } : {};
    return { ...rest, type: kind, function: { ...others, ...described, name: asText(name) ?? '' } };
  });
  return tools.length === 0 ? null : tools;
}
