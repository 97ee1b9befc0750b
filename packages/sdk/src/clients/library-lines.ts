import { dataRecordSchema, type DataRecord } from '@lachesis/protocol';
import { ClientError } from './client-error.ts';
import { requestStream, type SendOptions } from './request.ts';

/** Rows of a reply that has one JSON object a line, each given as soon as it is there: a data set may be larger than memory. */
export const readJsonLines = (options: SendOptions): AsyncGenerator<DataRecord> =>
  readLines(options, (value) => dataRecordSchema.parse(value));

/** Lines of a reply, each read by `parse`. */
export async function* readLines<T>(options: SendOptions, parse: (value: unknown) => T): AsyncGenerator<T> {
  const call = `${options.method} ${options.path}`;
  const response = await requestStream(options);
  const decoder = new TextDecoder();
  let rest = '';
  let row = 0;
  for await (const chunk of readChunks(response, call)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield readRow(line, (row += 1), call, parse);
  }
  // Every row ends its line: what is left over is a reply that broke off.
  if (rest !== '') throw broken(call, `it broke off in row ${row + 1}`);
}

async function* readChunks({ body }: Response, call: string): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (cause) {
    throw broken(call, 'the reply broke off', cause);
  }
}

function readRow<T>(line: string, row: number, call: string, parse: (value: unknown) => T): T {
  try {
    return parse(JSON.parse(line));
  } catch (cause) {
    throw new ClientError({
      code: 'unreadable-reply',
      call,
      reason: `row ${row} is no data record. Is the server of another version?`,
      retryable: false,
      cause,
    });
  }
}

export function broken(call: string, reason: string, cause?: unknown): ClientError {
  return new ClientError({ code: 'connection', call, reason, retryable: true, cause });
}
