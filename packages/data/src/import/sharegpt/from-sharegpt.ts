import type { ConversationRecord, ChatMessage } from '@lachesis/protocol';
import { findToolsText, parseTools, readDefaultPreamble } from '../../export/sharegpt/preamble.ts';
import type { ShareGptExtra } from '../../export/sharegpt/sharegpt-extra.ts';
import { type ShareGptElement, toShareGpt } from '../../export/sharegpt/to-sharegpt.ts';
import type { Repair } from '../../records/read-result.ts';
import { parseReplyValue } from './parse-reply-value.ts';
import { parseToolValue } from './parse-tool-value.ts';

export interface FromShareGpt {
  messages: ChatMessage[];
  tools: ConversationRecord['tools'];
  extra: ShareGptExtra;
  repairs: Repair[];
}

/** `human` and `user`, `gpt` and `assistant`: both spellings are read. */
const ROLES: Readonly<Record<string, 'system' | 'user' | 'assistant' | 'tool'>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  tool: 'tool',
};

/** Elements as messages. A sentence when an element is of no known kind. */
export function fromShareGpt(elements: readonly ShareGptElement[]): FromShareGpt | string {
  const repairs: Repair[] = [];
  const messages: ChatMessage[] = [];
  const [first] = elements;
  const head = first?.from === 'system' && typeof first.value === 'string' ? first.value : null;
  const { system, tools, isKnown } = readSystem(head, repairs);
  if (system !== null) messages.push({ role: 'system', content: system });
  const extra: ShareGptExtra = isKnown ? {} : { system: head };

  let calls: NonNullable<ChatMessage['tool_calls']> = [];
  let hasThink = false;
  for (const { from, value } of head === null ? elements : elements.slice(1)) {
    const role = ROLES[from];
    if (role === undefined) return `an element is from "${from}", which is none of ${Object.keys(ROLES).join(', ')}`;
    if (role === 'assistant' && typeof value === 'string') {
      hasThink ||= value.includes('<think>');
      const message = parseReplyValue(value);
      calls = message.tool_calls ?? [];
      messages.push(message);
    } else if (role === 'tool' && typeof value === 'string') {
      messages.push(...parseToolValue(value, calls, repairs));
      calls = [];
    } else messages.push({ role, content: value as ChatMessage['content'] });
  }
  if (messages.length === 0) return 'there is no message in it';
  const replies = elements.filter(({ from }) => ROLES[from] === 'assistant');
  if (replies.length > 0 && !hasThink) extra.has_no_think = true;
  if (elements.some(({ from }) => from === 'user' || from === 'assistant')) extra.roles = 'openai';
  recordDifferences({ messages, tools, extra, repairs }, elements);
  return { messages, tools, extra, repairs };
}

function readSystem(head: string | null, repairs: Repair[]) {
  const nothing = { system: null, tools: null };
  if (head === null) return { ...nothing, isKnown: false };
  const ours = readDefaultPreamble(head);
  const own = ours === undefined ? undefined : parseTools(ours.tools);
  if (ours !== undefined && own !== undefined) return { system: ours.system, tools: own, isKnown: true };
  const text = findToolsText(head);
  const tools = text === undefined ? undefined : parseTools(text);
  if (tools === undefined) return { system: head, tools: null, isKnown: false };
  repairs.push({
    kind: 'generated-preamble',
    what: 'The first element was made when the file was saved; its tools are kept as tools, and it is no system prompt.',
  });
  return { system: null, tools, isKnown: false };
}

/** Remembers how elements stood that we would write otherwise, so that the way back gives the same file. */
function recordDifferences(
  { messages, tools, extra, repairs }: FromShareGpt,
  elements: readonly ShareGptElement[],
): void {
  const written = toShareGpt(
    { messages, tools },
    {
      ...(extra.roles === undefined ? {} : { roles: extra.roles }),
      ...(extra.has_no_think === true ? { think: 'present' as const } : {}),
      ...(extra.system === undefined ? {} : { preamble: () => extra.system ?? null }),
    },
  );
  const replaced = new Map<string, string>();
  let isSame = written.length === elements.length;
  for (const [at, { from, value }] of written.entries()) {
    const original = elements[at];
    if (original?.from !== from) isSame = false;
    else if (original.value !== value) {
      if (typeof value === 'string' && typeof original.value === 'string') replaced.set(value, original.value);
      else isSame &&= JSON.stringify(value) === JSON.stringify(original.value);
    }
  }
  if (!isSame) {
    repairs.push({
      kind: 'unusual-order',
      what: 'The elements do not follow one another as Hermes writes them; written again they will differ.',
    });
  } else if (replaced.size > 0) extra.replaced = [...replaced];
}
