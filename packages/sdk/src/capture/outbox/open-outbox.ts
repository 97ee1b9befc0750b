import {
  close,
  closeSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import type { CaptureRecord } from '@lachesis/protocol';
import { OutboxError } from './outbox-error.ts';
import { isRecorderName, readSegmentName, segmentPath } from './segment-names.ts';

export interface OutboxOptions {
  /** The folder of all outboxes: `<home>/outbox`. */
  directory: string;
  /** Whose records these are; the name of a folder in it. One process, one name. */
  recorder: string;
  /** A segment this long is closed and the next begun; default 16 MB. */
  maxSegmentBytes?: number | undefined;
}

/** Where records wait until they are in the store. */
export interface Outbox {
  readonly recorder: string;
  /** Makes its folder and sets descriptors aside, so that a record finds one when the process has none left. Throws when it cannot. */
  open(): void;
  /** Returns when the line is with the operating system: it survives the end of this process, however it ends. */
  append(record: CaptureRecord): void;
  /** Closes the segment, so that its file does not grow any more. The next record begins another. */
  rotate(): void;
  /** Closes the segment and waits until the disk has it. What is appended later begins another. */
  close(): Promise<void>;
}

interface OpenSegment {
  readonly descriptor: number;
  readonly file: string;
  readonly inode: bigint;
  bytes: number;
}

const DEFAULT_SEGMENT_BYTES = 16 * 1024 * 1024;

/** One for a segment, and one for who lists the folder meanwhile. */
const SPARE_DESCRIPTORS = 2;

/** How often another reader may take the segment under our hands before we call it a fault. */
const MOST_TAKES = 5;

/**
 * Opens the outbox of one recorder; its files come with the first record. Readers take a segment by renaming it. A line
 * written after that may not be read, so each write is followed by a look at the name, and a line whose file was taken
 * is written again to the next segment. A record that is read twice is kept once.
 */
export function openOutbox({ directory, recorder, maxSegmentBytes = DEFAULT_SEGMENT_BYTES }: OutboxOptions): Outbox {
  const folder = path.join(directory, recorder);
  if (!isRecorderName(recorder)) {
    throw new OutboxError({
      action: 'open the outbox',
      path: folder,
      reason: 'the name of a recorder is letters, digits, dots, dashes and underscores',
      hint: 'Give it another name.',
    });
  }
  const syncing = new Set<Promise<void>>();
  let segment: OpenSegment | undefined;
  let nextNumber: number | undefined;
  /** A write broke off: the next line must not be glued to its piece. */
  let isTorn = false;
  /** Descriptors that are let go where there is none for a segment. */
  const spare: number[] = [];

  function open(): void {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      nextNumber ??= highestNumber(folder);
      while (spare.length < SPARE_DESCRIPTORS) spare.push(openSync(directory, 'r'));
    } catch (cause) {
      throw failure('open', folder, cause);
    }
  }

  /** Room that was used up is taken back as soon as there is some; until then a later record may find none. */
  function refill(): void {
    try {
      if (spare.length > 0 && spare.length < SPARE_DESCRIPTORS) spare.push(openSync(directory, 'r'));
    } catch {
      // There is still none: tried again with the next record.
    }
  }

  function append(record: CaptureRecord): void {
    const line = JSON.stringify(record);
    for (let tries = 0; tries < MOST_TAKES; tries += 1) {
      const begun = (segment ??= begin());
      try {
        write(begun, `${isTorn ? '\n' : ''}${line}\n`);
      } catch (cause) {
        isTorn = true;
        throw failure('append a record to', begun.file, cause);
      }
      isTorn = false;
      const isStillOurs = statSync(begun.file, { bigint: true, throwIfNoEntry: false })?.ino === begun.inode;
      if (isStillOurs) {
        if (begun.bytes >= maxSegmentBytes) rotate();
        refill();
        return;
      }
      closeSync(begun.descriptor);
      segment = undefined;
    }
    throw new OutboxError({
      action: 'append a record to',
      path: folder,
      reason: `its file was taken away ${MOST_TAKES} times in a row`,
      hint: 'Is another program cleaning up this folder?',
    });
  }

  function begin(): OpenSegment {
    for (let tries = 0; ; tries += 1) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        nextNumber = nextNumber === undefined ? highestNumber(folder) + 1 : nextNumber + 1;
        const file = segmentPath(directory, recorder, nextNumber);
        const descriptor = openSync(file, 'ax', 0o600);
        isTorn = false;
        return { descriptor, file, inode: fstatSync(descriptor, { bigint: true }).ino, bytes: 0 };
      } catch (cause) {
        // EEXIST: somebody uses our name. ENOENT: a reader removed the empty folder between the two calls.
        const { code } = cause as { code?: unknown };
        const room = code === 'EMFILE' || code === 'ENFILE' ? spare.pop() : undefined;
        if (room !== undefined) {
          closeSync(room);
          nextNumber = (nextNumber ?? 0) - 1;
          continue;
        }
        if ((code !== 'EEXIST' && code !== 'ENOENT') || tries >= MOST_TAKES) throw failure('begin', folder, cause);
      }
    }
  }

  function rotate(): void {
    if (segment === undefined) return;
    const { descriptor, file, bytes } = segment;
    segment = undefined;
    if (bytes === 0) {
      closeSync(descriptor);
      rmSync(file, { force: true });
      return;
    }
    // Not waited for: a slow disk must not hold up the call that filled the segment.
    const synced: Promise<void> = new Promise((resolve) => {
      fsync(descriptor, () => close(descriptor, () => resolve()));
    });
    syncing.add(synced);
    void synced.finally(() => syncing.delete(synced));
  }

  return {
    recorder,
    open,
    append,
    rotate,
    async close() {
      rotate();
      for (const descriptor of spare.splice(0)) closeSync(descriptor);
      await Promise.all(syncing);
    },
  };
}

function write(segment: OpenSegment, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(segment.descriptor, bytes, written);
  segment.bytes += bytes.length;
}

function highestNumber(folder: string): number {
  return readdirSync(folder).reduce((highest, file) => Math.max(highest, readSegmentName(file)?.number ?? -1), -1);
}

function failure(action: string, file: string, cause: unknown): OutboxError {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  const hint =
    code === 'ENOSPC'
      ? 'Make room on the disk; the call itself is not affected.'
      : code === 'EMFILE' || code === 'ENFILE'
        ? 'Raise the limit of open files (`ulimit -n`), or take fewer calls at once (--max-in-flight).'
        : 'Check that the folder can be written, or name another home.';
  return new OutboxError({ action, path: file, reason: String(code ?? message), hint, cause });
}
