import { createBlob, type StoredBlob } from '../trajectories/captures/turn-payload.ts';

/** How a column is written. Times are milliseconds since 1970 in the rows, and timestamps in the file. */
export type ColumnKind = 'text' | 'whole' | 'number' | 'time' | 'flag';

type Value = string | number | boolean | null;

const TYPES = { text: 'STRING', whole: 'INT64', number: 'DOUBLE', time: 'TIMESTAMP', flag: 'BOOLEAN' } as const;

/** Writes rows as one Parquet file, in their order. What writes and reads it is loaded with the first: most servers never do. */
export async function writeColdFile<Row extends { [Name in keyof Row]: Value }>(
  columns: { readonly [Name in keyof Row & string]: ColumnKind },
  rows: readonly Row[],
): Promise<StoredBlob> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = Object.entries<ColumnKind>(columns).map(([name, kind]) => ({
    name,
    type: TYPES[kind],
    nullable: true,
    data: rows.map((row) => toParquet(row[name as keyof Row], kind)),
  }));
  return createBlob(new Uint8Array(parquetWriteBuffer({ columnData })));
}

/** The rows of such a file, in their order. */
export async function readColdFile<Row>(
  columns: { readonly [Name in keyof Row & string]: ColumnKind },
  bytes: Uint8Array,
): Promise<Row[]> {
  const { parquetReadObjects } = await import('hyparquet');
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  return rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries<ColumnKind>(columns).map(([name, kind]) => [name, fromParquet(row[name], kind)]),
      ) as Row,
  );
}

function toParquet(value: Value, kind: ColumnKind): unknown {
  if (value === null) return null;
  if (kind === 'whole') return BigInt(value);
  return kind === 'time' ? new Date(value as number) : value;
}

function fromParquet(value: unknown, kind: ColumnKind): Value {
  if (value === null || value === undefined) return null;
  if (kind === 'whole') return Number(value);
  return kind === 'time' ? (value as Date).getTime() : (value as Value);
}
