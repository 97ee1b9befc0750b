import { parquetMetadataAsync, parquetReadObjects, type AsyncBuffer, type Compressors } from 'hyparquet';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';

/** One row of a data set, by the names of its columns. */
export type DatasetRow = Readonly<Record<string, unknown>>;

/** Rows of Parquet read at once. */
const ROWS_AT_ONCE = 1_000;

/** What Node has beside what the reader brings: Snappy and none. */
const compressors: Compressors = {
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
  ZSTD: (input) => zstdDecompressSync(input),
};

/** Reads a file of Parquet or of lines of JSON, row by row. Throws with the reason when it is neither. */
export function readRows(path: string, fields?: readonly string[]): AsyncGenerator<DatasetRow> {
  return path.toLowerCase().endsWith('.parquet') ? readParquetRows(path, fields) : readJsonRows(path, fields);
}

async function* readParquetRows(path: string, fields: readonly string[] | undefined): AsyncGenerator<DatasetRow> {
  await using handle = await open(path);
  const { size } = await handle.stat();
  const file: AsyncBuffer = {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      await handle.read(bytes, 0, bytes.byteLength, start);
      return bytes.buffer;
    },
  };
  const metadata = await parquetMetadataAsync(file);
  const known = new Set(metadata.schema.map(({ name }) => name));
  const columns = fields === undefined ? undefined : fields.filter((name) => known.has(name));
  const count = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < count; rowStart += ROWS_AT_ONCE) {
    const rowEnd = Math.min(rowStart + ROWS_AT_ONCE, count);
    const rows = await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd, compressors },
      ...(columns === undefined ? {} : { columns }),
    });
    for (const row of rows) yield toPlain(row) as DatasetRow;
  }
}

async function* readJsonRows(path: string, fields: readonly string[] | undefined): AsyncGenerator<DatasetRow> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    number += 1;
    if (line.trim() === '') continue;
    const row = parseLine(line);
    if (row === undefined) throw new Error(`line ${number} is not an object of JSON`);
    yield fields === undefined
      ? row
      : Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)));
  }
}

function parseLine(line: string): DatasetRow | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as DatasetRow) : undefined;
  } catch {
    // Told by the caller, with the number of the line.
    return undefined;
  }
}

/** Whole numbers of 64 bits as numbers where they fit: JSON has no others, and neither have rewards. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlain(each)]));
}
