import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The prompt of a record: everything before the reply that was rated, or before the last reply. */
export function readPrompt(record: DataRecord): readonly ChatMessage[] | undefined {
  if (record.kind === 'preference') return record.prompt;
  const last = record.messages.findLastIndex(({ role }) => role === 'assistant');
  const prompt = last < 0 ? record.messages : record.messages.slice(0, last);
  return prompt.length === 0 ? undefined : prompt;
}

/** Writes the prompts of a data set, each once, for the environment `rlhf`. Returns how many there are to train on. */
export async function writePrompts(options: { rows: AsyncIterable<DataRecord>; path: string }): Promise<number> {
  const { rows, path } = options;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'w', 0o600);
  const seen = new Set<string>();
  let train = 0;
  try {
    for await (const record of rows) {
      const messages = readPrompt(record);
      // What may not be trained on is not sampled from either: its replies would be.
      if (messages === undefined || (record.split === 'train' && record.consent !== 'train')) continue;
      const key = JSON.stringify(messages);
      if (seen.has(key)) continue;
      seen.add(key);
      if (record.split === 'train') train += 1;
      await file.write(`${JSON.stringify({ messages, split: record.split === 'train' ? 'train' : 'eval' })}\n`);
    }
  } finally {
    await file.close();
  }
  return train;
}
