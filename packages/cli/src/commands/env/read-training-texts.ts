import { isRecord } from '@lachesis/protocol';
import { readFileRows } from '../data/read-file-rows.ts';

/** Every text of every row: what a model learnt from may stand in any part of a conversation. */
export async function* readTrainingTexts(path: string): AsyncGenerator<{ key: string; text: string }> {
  let row = 0;
  for await (const result of readFileRows(path, undefined)) {
    row += 1;
    for (const text of listTexts(result)) yield { key: `${path}:${row}`, text };
  }
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((each) => listTexts(each));
  return isRecord(value) ? Object.values(value).flatMap((each) => listTexts(each)) : [];
}
