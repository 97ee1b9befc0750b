import { type ChatMessage, type ChatToolCall, isRecord, type OfferedTool } from '@lachesis/protocol';
import { asList, asObject, asText, type JsonFields } from '../calls/json-shapes.ts';
import { argumentsOf, rememberArguments } from './argument-texts.ts';
import type { PromptMessage } from './shapes.ts';

/** The prompt of a model as the messages of a chat. A message that answers several calls becomes one for each. */
export function toChatMessages(prompt: readonly PromptMessage[]): ChatMessage[] {
  return prompt.flatMap(({ role, content }): ChatMessage[] => {
    if (typeof content === 'string') return [{ role, content }];
    const parts = asList(content).filter(isRecord);
    if (role === 'tool') return parts.flatMap(toToolMessage);
    return [role === 'assistant' ? toAssistantMessage(parts) : { role, content: toContent(parts) }];
  });
}

/** What a model made: thinking, text and calls in one message, and the answers of tools that the provider ran itself. */
export function toAssistantMessage(parts: readonly JsonFields[]): ChatMessage {
  const textOf = (type: string): string[] =>
    parts.filter((part) => part['type'] === type).map(({ text }) => asText(text) ?? '');
  const [texts, thoughts] = [textOf('text'), textOf('reasoning')];
  const calls = parts.filter(({ type }) => type === 'tool-call').map(toToolCall);
  const others = parts.filter(({ type }) => !['text', 'reasoning', 'tool-call'].includes(asText(type) ?? ''));
  return {
    role: 'assistant',
    // Empty text beside calls comes and goes between a reply and the prompt that repeats it.
    content: texts.join('') === '' && (calls.length > 0 || texts.length === 0) ? null : texts.join(''),
    ...(thoughts.length === 0 ? {} : { reasoning_content: thoughts.join('') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    // Sources, files, results of the provider's tools: a chat has no word for them, so they stay what they were.
    ...(others.length === 0 ? {} : { parts: others.map(toPart) }),
  };
}

export function toOfferedTools(tools: readonly object[] | undefined): OfferedTool[] | null {
  if (tools === undefined || tools.length === 0) return null;
  return tools.map(asObject).map(({ type, name, description, inputSchema, ...rest }): OfferedTool => {
    if (type !== 'function') return { type: asText(type) ?? 'unknown', name, ...rest };
    return {
      type,
      function: { name: asText(name) ?? '', description: asText(description) ?? null, parameters: inputSchema },
    };
  });
}

function toToolCall({ toolCallId, toolName, input }: JsonFields): ChatToolCall {
  const id = asText(toolCallId);
  if (id !== undefined && typeof input === 'string') rememberArguments(id, input);
  const call = { name: asText(toolName) ?? '', arguments: argumentsOf(id, input) };
  return { id: id ?? null, type: 'function', function: call };
}

function toToolMessage(part: JsonFields): ChatMessage[] {
  if (part['type'] !== 'tool-result') return [];
  const { toolCallId, toolName } = part;
  const output = asObject(part['output']);
  const isText = output['type'] === 'text' || output['type'] === 'error-text';
  const content = isText
    ? (asText(output['value']) ?? '')
    : output['type'] === 'execution-denied'
      ? `denied: ${asText(output['reason']) ?? 'no reason was given'}`
      : JSON.stringify(output['value'] ?? null);
  return [{ role: 'tool', tool_call_id: asText(toolCallId) ?? null, name: asText(toolName) ?? null, content }];
}

function toContent(parts: readonly JsonFields[]): ChatMessage['content'] {
  if (parts.every(({ type }) => type === 'text')) return parts.map(({ text }) => asText(text) ?? '').join('');
  return parts.map(toPart);
}

function toPart(part: JsonFields): { type: string; [key: string]: unknown } {
  const type = asText(part['type']) ?? 'unknown';
  if (type === 'text') return { type, text: asText(part['text']) ?? '' };
  if (type !== 'file') return { ...part, type };
  const mediaType = asText(part['mediaType']) ?? 'application/octet-stream';
  const url = toUrl(part['data'], mediaType);
  return mediaType.startsWith('image/') || mediaType === 'image'
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url, filename: asText(part['filename']) ?? null } };
}

/** Bytes, base64 and addresses all become an address. */
function toUrl(data: unknown, mediaType: string): string {
  if (isRecord(data) && 'type' in data) return toUrl(data['data'] ?? data['url'] ?? data['text'], mediaType);
  if (data instanceof URL) return data.href;
  if (data instanceof Uint8Array) return `data:${mediaType};base64,${Buffer.from(data).toString('base64')}`;
  const text = asText(data) ?? '';
  return /^(?:https?|data|file):/.test(text) ? text : `data:${mediaType};base64,${text}`;
}
