import { exportLineSchema, type DataRecord, type DatasetVersion, type Dropped } from '@lachesis/protocol';
import { broken, readLines } from './library-lines.ts';
import type { SendOptions } from './request.ts';

/** Rows on their way out. */
export interface LibraryExport {
  /** Null for what a filter found. */
  dataset: DatasetVersion | null;
  rows: AsyncGenerator<DataRecord>;
  /** What stayed behind, when all rows have been read. */
  dropped(): Dropped[];
}

/** Reads an export up to its first line, which says what it is of; the rows come as they are asked for. */
export async function readExport(options: SendOptions): Promise<LibraryExport> {
  const call = `${options.method} ${options.path}`;
  const lines = readLines(options, (value) => exportLineSchema.parse(value));
  const first = await lines.next();
  const dataset: DatasetVersion | null | undefined =
    first.done !== true && 'dataset' in first.value ? first.value.dataset : undefined;
  if (dataset === undefined) throw broken(call, 'it does not begin as an export does');
  let dropped: Dropped[] | undefined;
  const readRows = async function* (): AsyncGenerator<DataRecord> {
    for await (const line of lines) {
      if ('row' in line) yield line.row;
      else if ('dropped' in line) dropped = line.dropped;
    }
  };
  return {
    dataset,
    rows: readRows(),
    dropped: () => {
      if (dropped === undefined) throw broken(call, 'it broke off before its end');
      return dropped;
    },
  };
}
