import { type DataRecord, dataRecordSchema } from '@lachesis/protocol';
import type { ReadResult } from '../../records/read-result.ts';
import { readLines } from '../lines/read-lines.ts';
import type { Source } from '../lines/source.ts';

/** Our own lines. */
export async function* readJsonl(source: Source): AsyncGenerator<ReadResult> {
  for await (const line of readLines(source)) {
    const at = `line ${line.at}`;
    if ('problem' in line) yield { problem: { at, reason: line.problem } };
    else yield readLine(line.text, at);
  }
}

function readLine(text: string, at: string): ReadResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: { at, reason: 'it is not JSON; a line that was cut short looks like this' } };
  }
  const parsed = dataRecordSchema.safeParse(value);
  if (parsed.success) return { record: parsed.data satisfies DataRecord, repairs: [], at };
  const [issue] = parsed.error.issues;
  return { problem: { at, reason: `it is no record of ours: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}` } };
}
