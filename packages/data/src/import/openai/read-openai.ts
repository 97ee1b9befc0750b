import type { PythonJsonValue } from '@lachesis/sdk/render';
import { memberOf } from '../../records/python/parse-python-json.ts';
import type { ReadResult } from '../../records/read-result.ts';
import { readRows } from '../lines/read-rows.ts';
import type { Source } from '../lines/source.ts';
import { makeConversation, makePreference } from '@lachesis/protocol';
import { readMessages, readTools } from '../read-message.ts';

/** Lines of `messages`, and pairs of OpenAI's preference tuning. */
export async function* readOpenAi(source: Source): AsyncGenerator<ReadResult> {
  for await (const row of readRows(source)) {
    if ('problem' in row) yield { problem: { at: row.at, reason: row.problem } };
    else {
      const result = readOpenAiRow(row.value, row.id);
      yield typeof result === 'string' ? { problem: { at: row.at, reason: result } } : { ...result, at: row.at };
    }
  }
}

function readOpenAiRow(value: PythonJsonValue, id: string): ReadResult | string {
  const input = memberOf(value, 'input');
  if (input !== undefined) return readPair(value, input, id);
  const messages = readMessages(memberOf(value, 'messages'), 'messages');
  const tools = readTools(memberOf(value, 'tools'));
  if (typeof messages === 'string') return messages;
  if (typeof tools === 'string') return tools;
  // The fine-tuning shape says with a weight of 0 that nothing is learnt from a reply.
  const replies = messages.filter(({ role }) => role === 'assistant');
  const isUntrained = replies.length > 0 && replies.every((message) => message['weight'] === 0);
  if (isUntrained) for (const message of replies) delete message['weight'];
  return { record: makeConversation({ id, messages, tools, weight: isUntrained ? 0 : 1 }), repairs: [] };
}

function readPair(value: PythonJsonValue, input: PythonJsonValue, id: string): ReadResult | string {
  const prompt = readMessages(memberOf(input, 'messages'), 'input.messages');
  const chosen = readMessages(memberOf(value, 'preferred_output'), 'preferred_output');
  const rejected = readMessages(memberOf(value, 'non_preferred_output'), 'non_preferred_output');
  const tools = readTools(memberOf(input, 'tools'));
  if (typeof prompt === 'string') return prompt;
  if (typeof chosen === 'string') return chosen;
  if (typeof rejected === 'string') return rejected;
  if (typeof tools === 'string') return tools;
  return { record: makePreference({ id, prompt, chosen, rejected, tools }), repairs: [] };
}
