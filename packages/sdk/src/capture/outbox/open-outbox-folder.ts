import { open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isRecorderName, readSegmentName, takenName } from './segment-names.ts';

/** A file of records that a recorder wrote. */
export interface OutboxSegment {
  /** The same on every look. */
  name: string;
  recorder: string;
  /** Nobody's line is lost when it is removed after reading. */
  isClosed: boolean;
}

/** What is read of a segment: whole lines, and where the next ones begin. */
export interface SegmentPiece {
  lines: readonly string[];
  next: number;
  /** Nothing follows but, at most, a line that was never finished. */
  isEnd: boolean;
  /** The recorder died in the middle of its last line. */
  isTorn: boolean;
}

/** The outboxes of one home, for whoever brings them into the store. Two may do it at once. */
export interface OutboxFolder {
  /** Takes what there is, in order, and lists it. What is written later goes into other segments. */
  list(): Promise<readonly OutboxSegment[]>;
  read(segment: OutboxSegment, from: number): Promise<SegmentPiece>;
  remove(segment: OutboxSegment): Promise<void>;
}

export interface OutboxFolderOptions {
  /** `<home>/outbox`. It need not exist. */
  directory: string;
  /** One recorder's segments alone. */
  recorder?: string | undefined;
  /** How much is read at once, at least one line; default 1 MB. */
  pieceBytes?: number | undefined;
}

const DEFAULT_PIECE_BYTES = 1024 * 1024;
const NEWLINE = 10;

/** Opens the outboxes in a folder, or that of one recorder, to read what waits there. */
export function openOutboxFolder(options: OutboxFolderOptions): OutboxFolder {
  const { directory, recorder: wanted, pieceBytes = DEFAULT_PIECE_BYTES } = options;

  async function list(): Promise<OutboxSegment[]> {
    const recorders = wanted === undefined ? await listNames(directory) : [wanted];
    const segments: OutboxSegment[] = [];
    for (const recorder of recorders.filter(isRecorderName).toSorted()) {
      const files = (await listNames(path.join(directory, recorder)))
        .map((file) => ({ file, ...(readSegmentName(file) ?? { number: -1, isTaken: false }) }))
        .filter(({ number }) => number >= 0)
        .toSorted((left, right) => left.number - right.number);
      for (const { file, isTaken } of files) {
        const segment = isTaken
          ? { name: `${recorder}/${file}`, recorder, isClosed: true }
          : await take(directory, recorder, file);
        if (segment !== undefined) segments.push(segment);
      }
    }
    return segments;
  }

  async function read(segment: OutboxSegment, from: number): Promise<SegmentPiece> {
    const file = await open(path.join(directory, segment.name)).catch(ignoreMissing);
    // Another reader was quicker, and its commit came before the removal.
    if (file === undefined) return { lines: [], next: from, isEnd: true, isTorn: false };
    try {
      for (let size = pieceBytes; ; size *= 2) {
        const buffer = Buffer.allocUnsafe(size);
        const { bytesRead } = await file.read(buffer, 0, size, from);
        const end = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
        const isEnd = bytesRead < size;
        // One line may be longer than a piece: a conversation with images.
        if (end === -1 && !isEnd) continue;
        const lines = end === -1 ? [] : buffer.toString('utf8', 0, end).split('\n');
        const whole = end + 1;
        return {
          lines: lines.filter((line) => line !== ''),
          next: from + whole,
          isEnd,
          isTorn: isEnd && bytesRead > whole,
        };
      }
    } finally {
      await file.close();
    }
  }

  async function remove(segment: OutboxSegment): Promise<void> {
    const file = path.join(directory, segment.name);
    await rm(file, { force: true });
    // Only an empty folder goes; a recorder that lives makes it again with its next record.
    await rmdir(path.dirname(file)).catch(() => undefined);
  }

  return { list, read, remove };
}

/** By renaming: atomic, and seen by the writer, which then goes on in another file. */
async function take(directory: string, recorder: string, file: string): Promise<OutboxSegment | undefined> {
  const taken = takenName(file);
  try {
    await rename(path.join(directory, recorder, file), path.join(directory, recorder, taken));
    return { name: `${recorder}/${taken}`, recorder, isClosed: true };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT') return undefined;
    // Where an open file cannot be renamed it is read, and removed once its writer has closed it.
    if (code === 'EBUSY' || code === 'EPERM' || code === 'EACCES') {
      return { name: `${recorder}/${file}`, recorder, isClosed: false };
    }
    throw error;
  }
}

async function listNames(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(ignoreMissing)) ?? [];
}

function ignoreMissing(error: unknown): undefined {
  const { code } = error as { code?: unknown };
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
