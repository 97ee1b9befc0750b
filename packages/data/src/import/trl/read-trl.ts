import type { PythonJsonValue } from '@lachesis/sdk/render';
import { memberOf } from '../../records/python/parse-python-json.ts';
import type { ReadResult } from '../../records/read-result.ts';
import { readRows } from '../lines/read-rows.ts';
import type { Source } from '../lines/source.ts';
import { makeConversation, makePreference } from '@lachesis/protocol';
import { readMessages, readTools } from '../read-message.ts';

/** Rows of TRL: `messages`; `prompt` and `completion`, with or without a `label`; `prompt`, `chosen` and `rejected`. */
export async function* readTrl(source: Source): AsyncGenerator<ReadResult> {
  for await (const row of readRows(source)) {
    if ('problem' in row) yield { problem: { at: row.at, reason: row.problem } };
    else {
      const result = readTrlRow(row.value, row.id);
      yield typeof result === 'string' ? { problem: { at: row.at, reason: result } } : { ...result, at: row.at };
    }
  }
}

function readTrlRow(value: PythonJsonValue, id: string): ReadResult | string {
  const tools = readTools(memberOf(value, 'tools'));
  if (typeof tools === 'string') return tools;
  if (memberOf(value, 'chosen') !== undefined) return readPair(value, id, tools);
  const whole = memberOf(value, 'messages');
  if (whole !== undefined) {
    const messages = readMessages(whole, 'messages');
    return typeof messages === 'string' ? messages : { record: makeConversation({ id, messages, tools }), repairs: [] };
  }
  const prompt = readSide(memberOf(value, 'prompt'), 'prompt', 'user');
  const completion = readSide(memberOf(value, 'completion'), 'completion', 'assistant');
  if (typeof prompt === 'string') return prompt;
  if (typeof completion === 'string') return completion;
  const label = memberOf(value, 'label');
  const rating = typeof label === 'boolean' ? Number(label) : null;
  return { record: makeConversation({ id, messages: [...prompt, ...completion], tools, rating }), repairs: [] };
}

function readPair(
  value: PythonJsonValue,
  id: string,
  tools: Exclude<ReturnType<typeof readTools>, string>,
): ReadResult | string {
  const chosen = readSide(memberOf(value, 'chosen'), 'chosen', 'assistant');
  const rejected = readSide(memberOf(value, 'rejected'), 'rejected', 'assistant');
  if (typeof chosen === 'string') return chosen;
  if (typeof rejected === 'string') return rejected;
  const given = memberOf(value, 'prompt');
  if (given !== undefined && given !== null) {
    const prompt = readSide(given, 'prompt', 'user');
    if (typeof prompt === 'string') return prompt;
    return { record: makePreference({ id, prompt, chosen, rejected, tools }), repairs: [] };
  }
  // The prompt may be the part that both begin with.
  let shared = 0;
  while (
    shared < Math.min(chosen.length, rejected.length) - 1 &&
    JSON.stringify(chosen[shared]) === JSON.stringify(rejected[shared])
  )
    shared += 1;
  if (shared === 0) return 'there is no prompt, and chosen and rejected begin differently';
  const [prompt, a, b] = [chosen.slice(0, shared), chosen.slice(shared), rejected.slice(shared)];
  return { record: makePreference({ id, prompt, chosen: a, rejected: b, tools }), repairs: [] };
}

/** Messages, or a text that stands for one. */
const readSide = (value: PythonJsonValue | undefined, field: string, role: string): ReturnType<typeof readMessages> =>
  typeof value === 'string' ? [{ role, content: value }] : readMessages(value, field);
