import type { RolloutGroup } from '@lachesis/protocol';

type Sequence = RolloutGroup['sequences'][number];

/** What was said in a sequence, turn by turn; its tokens where nobody sent the conversation and no tokenizer is at hand. */
export function listTurns({ messages, text, tokens, length }: Sequence): { role: string; text: string }[] {
  if (messages !== null) return messages.map((message) => ({ role: message.role, text: messageText(message) }));
  if (text !== null) return [{ role: 'text', text }];
  return [{ role: 'tokens', text: tokens === undefined ? `${length} tokens` : tokens.join(' ') }];
}

function messageText(message: { role: string; [field: string]: unknown }): string {
  const { content, tool_calls: calls } = message;
  const said = typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content);
  return Array.isArray(calls) && calls.length > 0 ? `${said}${said === '' ? '' : '\n'}${JSON.stringify(calls)}` : said;
}
