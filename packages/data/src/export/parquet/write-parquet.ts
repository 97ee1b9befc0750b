import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { DroppedField } from '../../records/drop-report.ts';
import { findMessageFields } from './message-struct.ts';
import { MixedKindsError } from './mixed-kinds-error.ts';
import { conversationLayout, type FurtherColumn, type MessageField, preferenceLayout } from './parquet-schema.ts';
import { toParquetRow, type ParquetRow } from './to-parquet-row.ts';

/** Rows are encoded a group at a time; with long conversations a thousand of them are some tens of megabytes. */
const ROWS_PER_GROUP = 1_000;

export interface WriteParquetOptions {
  /** The fields messages have besides role and content. Absent: found by reading all rows first, which holds them in memory. */
  messageFields?: readonly MessageField[];
  /** Rows of the file's one kind, for a file without any row. */
  kind?: DataRecord['kind'];
  rowsPerGroup?: number;
  /** Columns of conversations behind the others. */
  further?: readonly FurtherColumn[];
}

/**
 * Writes rows as one Parquet file, in pieces. Messages are lists of structs, tool schemas and everything else without
 * a fixed shape are JSON text, so that no reader finds a field in a row that the row never had. Nothing is dropped.
 */
export async function* writeParquet(
  records: Iterable<DataRecord> | AsyncIterable<DataRecord>,
  options: WriteParquetOptions = {},
): AsyncGenerator<Uint8Array, DroppedField[]> {
  const { rowsPerGroup = ROWS_PER_GROUP, further = [] } = options;
  const rows = options.messageFields === undefined ? await collect(records) : records;
  const fields = options.messageFields ?? findMessageFields(readMessages(rows as DataRecord[]));
  const source = openPieceSource(rows);
  const first = await source.take(rowsPerGroup);
  const kind = first[0]?.kind ?? options.kind ?? 'conversation';
  const { columns, schema } = kind === 'conversation' ? conversationLayout(fields, further) : preferenceLayout(fields);

  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema, kvMetadata: [{ key: 'lachesis.kind', value: kind }] });
  // The writer counts its offsets apart from its buffer, so that what was encoded can be handed out and forgotten.
  const drain = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  for (let group = first; group.length > 0; group = await source.take(rowsPerGroup)) {
    const parquetRows = group.map((record) => {
      if (record.kind !== kind) throw new MixedKindsError({ expected: kind, found: record.kind, id: record.id });
      const row = toParquetRow(record);
      if (record.kind === 'conversation') for (const { name, read } of further) row[name] = read(record);
      return row;
    });
    await file.write({ columnData: toColumns(columns, parquetRows), rowGroupSize: rowsPerGroup });
    yield drain();
  }
  await file.finish();
  yield drain();
  return [];
}

function toColumns(names: readonly string[], rows: readonly ParquetRow[]): { name: string; data: unknown[] }[] {
  return names.map((name) => ({ name, data: rows.map((row) => row[name]) }));
}

async function collect(records: Iterable<DataRecord> | AsyncIterable<DataRecord>): Promise<DataRecord[]> {
  if (Array.isArray(records)) return records as DataRecord[];
  const all: DataRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

function openPieceSource(records: Iterable<DataRecord> | AsyncIterable<DataRecord>): {
  take(count: number): Promise<DataRecord[]>;
} {
  const iterator = Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]();
  return {
    async take(count) {
      const piece: DataRecord[] = [];
      while (piece.length < count) {
        const next = await iterator.next();
        if (next.done === true) break;
        piece.push(next.value);
      }
      return piece;
    },
  };
}

/** Every message of the rows, for finding out which fields they have. */
export function* readMessages(records: Iterable<DataRecord>): Generator<ChatMessage> {
  for (const record of records) {
    if (record.kind === 'conversation') yield* record.messages;
    else {
      yield* record.prompt;
      yield* record.chosen;
      yield* record.rejected;
    }
  }
}
