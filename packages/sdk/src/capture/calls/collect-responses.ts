import { type ChatMessage, isRecord, type OfferedTool } from '@lachesis/protocol';
import type { CollectedReply, EventCollector } from './collected-reply.ts';
import { asList, asObject, asText, toText, type JsonFields } from './json-shapes.ts';
import { readCost, readUsage } from './read-usage.ts';

/** The conversation a request of the responses API sends: its items as the messages of a chat. */
export function readInput(body: JsonFields): ChatMessage[] {
  const instructions = asText(body['instructions']);
  const input = body['input'];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asList(input);
  const system = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  return joinItems([...system, ...items]);
}

export function readTools(body: JsonFields): OfferedTool[] | null {
  const tools = asList(body['tools']).filter(isRecord);
  if (tools.length === 0) return null;
  return tools.map(({ type, name, description, parameters, ...rest }): OfferedTool => {
    if (type !== 'function' || typeof name !== 'string') return { type: asText(type) ?? 'unknown', ...rest };
    return { type, function: { name, description: asText(description) ?? null, parameters } };
  });
}

/** A whole response, or the one in the last event of a stream. */
export function collectResponse(response: JsonFields): CollectedReply {
  const [message] = joinItems(asList(response['output']));
  const responseId = asText(response['id']);
  return {
    choices: [
      {
        index: 0,
        message: message ?? { role: 'assistant', content: '' },
        finishReason: asText(response['status']) ?? null,
        ...{ tokenIds: undefined, logprobs: undefined, promptTokenIds: undefined, policyVersion: undefined },
      },
    ],
    usage: readUsage(response['usage']),
    cost: readCost(response['usage']),
    model: asText(response['model']),
    ...(responseId === undefined ? {} : { responseId }),
  };
}

/** The events whose response is whole. Cut short by a limit is whole too: nothing more will come. */
const LAST_EVENTS = new Set(['response.completed', 'response.incomplete']);

/** Follows a streamed response: the last event has it whole; before that, what its items had come to. */
export function createResponseCollector(): EventCollector {
  const items = new Map<number, JsonFields>();
  let whole: JsonFields | undefined;
  let begun: JsonFields = {};

  function grow(place: number, field: 'content' | 'arguments', delta: string): void {
    const item =
      items.get(place) ?? (field === 'content' ? { type: 'message', role: 'assistant' } : { type: 'function_call' });
    items.set(place, { ...item, [field]: `${asText(item[field]) ?? ''}${delta}` });
  }

  return {
    add(event, name) {
      const type = asText(event['type']) ?? name;
      const { response, item, output_index: index, delta } = event;
      const place = typeof index === 'number' ? index : 0;
      if (isRecord(response)) begun = response;
      if (LAST_EVENTS.has(type) && isRecord(response)) whole = response;
      else if (type === 'response.output_item.done' && isRecord(item)) items.set(place, item);
      else if (type === 'response.output_item.added' && isRecord(item)) {
        // Its text comes in the events that follow.
        const { content: _empty, ...rest } = item;
        items.set(place, rest);
      } else if (type === 'response.output_text.delta') grow(place, 'content', asText(delta) ?? '');
      else if (type === 'response.function_call_arguments.delta') grow(place, 'arguments', asText(delta) ?? '');
    },
    isFinished: () => whole !== undefined,
    reply() {
      if (whole !== undefined) return collectResponse(whole);
      const output = [...items].toSorted(([left], [right]) => left - right).map(([, item]) => item);
      const reply = collectResponse({ ...begun, status: null, output });
      return output.length === 0 ? { ...reply, choices: [] } : reply;
    },
  };
}

/** Items that a model makes in a row (thinking, text, calls) are one message of a chat. */
function joinItems(items: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const assistant = (): ChatMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const made: ChatMessage = { role: 'assistant', content: null };
    messages.push(made);
    return made;
  };
  for (const item of items.map(asObject)) {
    const type = asText(item['type']) ?? 'message';
    if (type === 'function_call') {
      const message = assistant();
      const call = { name: asText(item['name']) ?? '', arguments: toText(item['arguments'] ?? '') };
      message.tool_calls = [
        ...(message.tool_calls ?? []),
        { id: asText(item['call_id']) ?? null, type: 'function', function: call },
      ];
    } else if (type === 'function_call_output') {
      messages.push({
        role: 'tool',
        tool_call_id: asText(item['call_id']) ?? null,
        content: toText(item['output'] ?? null),
      });
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

function readContent(content: unknown): ChatMessage['content'] {
  if (typeof content === 'string') return content;
  const parts = asList(content).filter(isRecord);
  const isText = parts.every(({ type }) => type === 'input_text' || type === 'output_text' || type === 'text');
  if (isText) return parts.map(({ text }) => asText(text) ?? '').join('');
  return parts.map(({ type, ...rest }) => ({ type: asText(type) ?? 'unknown', ...rest }));
}
