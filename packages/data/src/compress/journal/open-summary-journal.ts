import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { CompressionError } from '../compression-error.ts';
import type { Summary } from '../summarize/summary.ts';
import type { SummaryJournal } from './summary-journal.ts';

const lineSchema = z.object({
  key: z.string(),
  text: z.string(),
  calls: z.int(),
  errors: z.int(),
  is_cut: z.boolean(),
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
});

const READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface Place {
  readonly offset: number;
  readonly bytes: number;
}

/**
 * A file of summaries, one JSON line each, that is only ever appended to. In memory are the keys and where each line
 * stands; the texts stay on disk.
 */
export async function openSummaryJournal(path: string): Promise<SummaryJournal> {
  const handle = await open(path, 'a+').catch((cause: unknown) => {
    throw new CompressionError({
      kind: 'bad-output',
      reason: `The journal of summaries ${path} cannot be opened (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}).`,
      hint: 'Look at the folder of the output.',
      cause,
    });
  });
  const places = new Map<string, Place>();
  let end = await readPlaces(handle, places);
  // Killed in the middle of a line, the file ends with a part of one: the next line must not be glued to it.
  await handle.truncate(end);

  let waiting: { line: Buffer; key: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing: Promise<void> | undefined;

  /** One write and one sync for all that wait; those that come meanwhile go with the next. */
  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const now = waiting;
      waiting = [];
      try {
        await handle.appendFile(Buffer.concat(now.map(({ line }) => line)));
        await handle.datasync();
        for (const { key, line, resolve } of now) {
          places.set(key, { offset: end, bytes: line.length });
          end += line.length;
          resolve();
        }
      } catch (error) {
        // A disk that is full takes a part of a line: the next must not be glued to it.
        await handle.truncate(end).catch(() => undefined);
        for (const { reject } of now) reject(error);
      }
    }
    writing = undefined;
  };

  return {
    get size() {
      return places.size;
    },
    async find(key) {
      const place = places.get(key);
      if (place === undefined) return undefined;
      const { buffer } = await handle.read(Buffer.alloc(place.bytes), 0, place.bytes, place.offset);
      return parseLine(buffer)?.summary;
    },
    append(key, summary) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ key, line: formatLine(key, summary), resolve, reject });
      writing ??= writeWaiting();
      return promise;
    },
    async [Symbol.asyncDispose]() {
      await writing;
      await handle.close();
    },
  };
}

/** Fills in where each whole line stands, and gives the end of the last one. */
async function readPlaces(handle: FileHandle, places: Map<string, Place>): Promise<number> {
  let rest = Buffer.alloc(0);
  let offset = 0;
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return offset;
    at += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE, start); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      const bytes = end + 1 - start;
      const line = parseLine(rest.subarray(start, end));
      // A line that cannot be read holds nothing: its summary is asked for again.
      if (line !== undefined) places.set(line.key, { offset, bytes });
      offset += bytes;
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
}

function formatLine(key: string, summary: Summary): Buffer {
  const line: z.infer<typeof lineSchema> = {
    key,
    text: summary.text,
    calls: summary.calls,
    errors: summary.errors,
    is_cut: summary.isCut,
    prompt_tokens: summary.promptTokens,
    completion_tokens: summary.completionTokens,
  };
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

function parseLine(bytes: Buffer): { key: string; summary: Summary } | undefined {
  try {
    const line = lineSchema.parse(JSON.parse(bytes.toString('utf8')));
    return {
      key: line.key,
      summary: {
        text: line.text,
        calls: line.calls,
        errors: line.errors,
        isCut: line.is_cut,
        promptTokens: line.prompt_tokens,
        completionTokens: line.completion_tokens,
      },
    };
  } catch {
    // Damage is met at the line; the caller goes without it.
    return undefined;
  }
}
