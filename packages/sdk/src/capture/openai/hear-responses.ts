import type { OfferedTool, RecordedMessage } from '@lachesis/protocol';
import type { HeardReply } from './heard-reply.ts';
import { asList, asObject, asText, isObject, type JsonObject } from './json-shapes.ts';
import { readUsage } from './read-usage.ts';

/** The conversation a request of the responses API sends: its items as the messages of a chat. */
export function readInput(body: JsonObject): RecordedMessage[] {
  const instructions = asText(body['instructions']);
  const input = body['input'];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asList(input);
  const system = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  return joinItems([...system, ...items]);
}

export function readTools(body: JsonObject): OfferedTool[] | null {
  const tools = asList(body['tools']).filter(isObject);
  if (tools.length === 0) return null;
  return tools.map(({ type, name, description, parameters, ...rest }): OfferedTool => {
    if (type !== 'function' || typeof name !== 'string') return { type: asText(type) ?? 'unknown', ...rest };
    return { type, function: { name, description: asText(description) ?? null, parameters } };
  });
}

/** A whole response, or the one in the last event of a stream. */
export function hearResponse(body: unknown): HeardReply {
  const response = asObject(body);
  const [message] = joinItems(asList(response['output']));
  const status = asText(response['status']);
  return {
    choices: [
      {
        message: message ?? { role: 'assistant', content: '' },
        finishReason: status ?? null,
        ...{ tokenIds: undefined, logprobs: undefined, promptTokenIds: undefined },
      },
    ],
    usage: readUsage(response['usage']),
    ...{ cost: null, policyVersion: null, error: undefined },
    model: asText(response['model']),
  };
}

/** Items that a model makes in a row (thinking, text, calls) are one message of a chat. */
function joinItems(items: readonly unknown[]): RecordedMessage[] {
  const messages: RecordedMessage[] = [];
  const assistant = (): RecordedMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const made: RecordedMessage = { role: 'assistant', content: null };
    messages.push(made);
    return made;
  };
  for (const item of items.map(asObject)) {
    const type = asText(item['type']) ?? 'message';
    if (type === 'function_call') {
      const message = assistant();
      const call = { name: asText(item['name']) ?? '', arguments: asText(item['arguments']) ?? '' };
      message.tool_calls = [
        ...(message.tool_calls ?? []),
        { id: asText(item['call_id']) ?? null, type: 'function', function: call },
      ];
    } else if (type === 'function_call_output') {
      messages.push({ role: 'tool', tool_call_id: asText(item['call_id']) ?? null, content: toText(item['output']) });
    } else if (type === 'reasoning') {
      const text = [...asList(item['summary']), ...asList(item['content'])].map(
        (part) => asText(asObject(part)['text']) ?? '',
      );
      assistant().reasoning_content = text.join('\n');
    } else if (type === 'message') {
      const role = asText(item['role']) ?? 'user';
      const content = readContent(item['content']);
      if (role === 'assistant') assistant().content = content;
      else messages.push({ role, content });
    } else {
      // A call of a built-in tool: kept as it is, since a chat has no word for it.
      assistant()[type] = [...asList(assistant()[type]), item];
    }
  }
  return messages;
}

function readContent(content: unknown): RecordedMessage['content'] {
  if (typeof content === 'string') return content;
  const parts = asList(content).filter(isObject);
  const isText = parts.every(({ type }) => type === 'input_text' || type === 'output_text' || type === 'text');
  if (isText) return parts.map(({ text }) => asText(text) ?? '').join('');
  return parts.map(({ type, ...rest }) => ({ type: asText(type) ?? 'unknown', ...rest }));
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
