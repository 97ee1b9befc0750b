import type { DataRecord } from '@lachesis/protocol';

/** Our own lines: each record whole, so that nothing is dropped. */
export async function* writeJsonl(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
): AsyncGenerator<string, never[]> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
  return [];
}
