import { dataRecordSchema } from '@lachesis/protocol';
import { parquetMetadataAsync, parquetReadObjects, type AsyncBuffer } from 'hyparquet';
import { fromMessageStruct, type MessageStruct } from '../../export/parquet/message-struct.ts';
import type { ReadResult } from '../../records/read-result.ts';

/** Rows read at once; a group of the writer. */
const ROWS_AT_ONCE = 1_000;

export interface ReadParquetOptions {
  /** Given to rows that have no id of their own; the number of the row is added. */
  idPrefix?: string;
}

/** Reads what `writeParquet` writes, and files of others that have a `messages` column, or `prompt`, `chosen` and `rejected`. */
export async function* readParquet(
  file: ArrayBuffer | AsyncBuffer,
  options: ReadParquetOptions = {},
): AsyncGenerator<ReadResult> {
  const metadata = await parquetMetadataAsync(file);
  const count = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < count; rowStart += ROWS_AT_ONCE) {
    const rowEnd = Math.min(rowStart + ROWS_AT_ONCE, count);
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd });
    for (const [offset, row] of rows.entries()) yield readRow(row, rowStart + offset, options.idPrefix ?? 'row');
  }
}

function readRow(row: Record<string, unknown>, index: number, idPrefix: string): ReadResult {
  try {
    const parsed = dataRecordSchema.safeParse(toRecord(row, `${idPrefix}-${index}`));
    if (parsed.success) return { record: parsed.data, repairs: [] };
    const issue = parsed.error.issues[0];
    return {
      problem: { at: `row ${index}`, reason: `${issue?.path.join('.') ?? 'row'}: ${issue?.message ?? 'no record'}` },
    };
  } catch (error) {
    // A column of JSON text that is no JSON: the row is told, the others go on.
    return { problem: { at: `row ${index}`, reason: error instanceof Error ? error.message : String(error) } };
  }
}

function toRecord(row: Record<string, unknown>, fallbackId: string): unknown {
  const exact = readJson(row['exact'], 'exact') as Record<string, unknown> | null;
  const shared = {
    id: row['id'] ?? fallbackId,
    trajectory_id: row['trajectory_id'] ?? null,
    tools: typeof row['tools'] === 'string' ? readJson(row['tools'], 'tools') : (row['tools'] ?? null),
    tags: row['tags'] ?? [],
    split: row['split'] ?? 'train',
    weight: row['weight'] ?? 1,
    // As every reader has it: who brings a file answers for it.
    consent: row['consent'] ?? 'train',
    extra: readJson(row['extra'], 'extra') ?? {},
  };
  if (row['chosen'] !== undefined && row['rejected'] !== undefined) {
    return {
      ...shared,
      kind: 'preference',
      prompt: exact?.['prompt'] ?? readMessages(row['prompt'], 'prompt'),
      chosen: exact?.['chosen'] ?? readMessages(row['chosen'], 'chosen'),
      rejected: exact?.['rejected'] ?? readMessages(row['rejected'], 'rejected'),
      feedback_ids: row['feedback_ids'] ?? [],
    };
  }
  const tokenIds = row['token_ids'] ?? null;
  return {
    ...shared,
    kind: 'conversation',
    messages: exact?.['messages'] ?? readMessages(row['messages'], 'messages'),
    model: row['model'] ?? null,
    timestamp: row['timestamp'] ?? null,
    completed: row['completed'] ?? true,
    partial: row['partial'] ?? false,
    reward: row['reward'] ?? null,
    rating: row['rating'] ?? null,
    tokens: tokenIds === null ? null : { token_ids: tokenIds, mask: row['mask'], logprobs: row['logprobs'] ?? null },
  };
}

function readMessages(value: unknown, column: string): unknown {
  const messages = typeof value === 'string' ? readJson(value, column) : value;
  if (!Array.isArray(messages)) throw new Error(`the column ${column} has no list of messages in this row`);
  return messages.map((message) => fromMessageStruct(message as MessageStruct));
}

function readJson(value: unknown, column: string): unknown {
  // The reader gives columns that are marked as JSON already parsed.
  if (typeof value !== 'string') return value ?? null;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new Error(`the column ${column} is not JSON in this row`, { cause: error });
  }
}
