import { open } from 'node:fs/promises';
import { sizeOfFile } from './size-of-file.ts';

const CHUNK_BYTES = 64 * 1024;
/** A line longer than this is sent in pieces: a program that never ends its line must not be held in memory. */
const LONGEST_LINE_BYTES = CHUNK_BYTES;
const NEWLINE = 10;

export interface LogChunk {
  lines: string[];
  /** Behind the last of them. */
  offset: number;
}

/**
 * Whole lines from an offset on; none when there are none yet. With `isAll` a last line without its end counts too. An
 * offset behind the end means that the log began anew.
 */
export async function readLogFrom(path: string, offset: number, { isAll = false } = {}): Promise<LogChunk> {
  const size = await sizeOfFile(path);
  const start = offset > size ? 0 : offset;
  if (size === start) return { lines: [], offset: start };
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, start);
    const bytes = buffer.subarray(0, bytesRead);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    const isPiece = end === 0 && (isAll || bytes.length >= LONGEST_LINE_BYTES);
    const used = isPiece ? bytes.length : end;
    if (used === 0) return { lines: [], offset: start };
    const text = bytes.subarray(0, used).toString('utf8').replace(/\n$/, '');
    return { lines: text.split('\n'), offset: start + used };
  } finally {
    await file.close();
  }
}

/** Where the last so many lines begin. */
export async function findTailOffset(path: string, lines: number): Promise<number> {
  const size = await sizeOfFile(path);
  if (size === 0) return 0;
  const file = await open(path, 'r');
  try {
    let missing = lines;
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      for (let at = bytesRead - 1; at >= 0; at--) {
        // The one that ends the file begins no line.
        if (buffer[at] !== NEWLINE || start + at === size - 1) continue;
        missing -= 1;
        if (missing <= 0) return start + at + 1;
      }
      end = start;
    }
    return 0;
  } finally {
    await file.close();
  }
}
