import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { type Clock, realClock } from '@lachesis/protocol';
import { type Aggregate, createAggregate } from '../metrics/aggregate.ts';
import { formatCheckpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts';

/** A call of the system for each row would cost more than making it. */
const BUFFER_CHARACTERS = 262_144;
/** What is done again after a crash: a moment of counting, and no summary. */
const CHECKPOINT_EVERY_MS = 250;

/** Where a row stands in the input. */
export interface RowPlace {
  readonly line: number;
  readonly rows: number;
}

/** The output of one file while it is made: it appears under its name when it is whole. */
export interface OutputFile {
  /** What an earlier life has written already; null when everything is. */
  readonly from: RowPlace | null;
  readonly sums: Aggregate;
  /** Adds what became of a line of the input: a row, or nothing. */
  add(text: string | undefined, place: RowPlace): Promise<void>;
  /** Everything is in it. */
  finish(): Promise<void>;
  /** Leaves it so that the next life goes on here. */
  pause(): Promise<void>;
}

export interface OpenOutputOptions {
  readonly path: string;
  /** Of the input and the settings. */
  readonly identity: string;
  readonly clock?: Clock | undefined;
}

export const checkpointPath = (output: string): string => `${output}.progress`;

export async function openOutput({ path, identity, clock = realClock }: OpenOutputOptions): Promise<OutputFile> {
  const unfinished = `${path}.unfinished`;
  const found = await readCheckpoint(checkpointPath(path));
  const known = found?.identity === identity ? found : undefined;
  if (known?.isDone === true && (await sizeOf(path)) === known.outputBytes) return createDone(known.sums);
  const last =
    known !== undefined && !known.isDone && (await sizeOf(unfinished)) >= known.outputBytes ? known : undefined;

  const handle = await open(unfinished, last === undefined ? 'w' : 'r+');
  const sums = last?.sums ?? createAggregate();
  let outputBytes = last?.outputBytes ?? 0;
  // Rows behind the checkpoint are made again, with the summaries of the journal.
  await handle.truncate(outputBytes);
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let place: RowPlace = { line: last?.line ?? 0, rows: last?.rows ?? 0 };
  let savedAt = clock.now();

  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(waiting.join(''));
    await writeAll(handle, bytes, outputBytes);
    // What could not be written still waits: a checkpoint must not count rows that are nowhere.
    waiting = [];
    waitingCharacters = 0;
    outputBytes += bytes.length;
  };
  /** The rows are on disk before the checkpoint that counts on them. It tells how things were when it was called. */
  const save = async (isDone: boolean): Promise<void> => {
    const checkpoint = formatCheckpoint({ version: 1, identity, ...place, outputBytes, isDone, sums });
    if (!isDone) await handle.datasync();
    await writeCheckpoint(checkpointPath(path), checkpoint);
    savedAt = clock.now();
  };
  /** Rows are made while the disk is waited for: one at a time, and whoever closes the file waits for it. */
  let saving: Promise<void> | undefined;
  let problem: { readonly cause: unknown } | undefined;
  const saveMeanwhile = (): void => {
    saving = save(false)
      .catch((cause: unknown) => void (problem = { cause }))
      .finally(() => (saving = undefined));
  };
  return {
    from: place,
    sums,
    async add(text, at) {
      place = at;
      if (text !== undefined) {
        waiting.push(text, '\n');
        waitingCharacters += text.length;
      }
      if (problem !== undefined) throw problem.cause;
      const isTime = saving === undefined && clock.now() - savedAt >= CHECKPOINT_EVERY_MS;
      if (isTime || waitingCharacters >= BUFFER_CHARACTERS) await flush();
      if (isTime) saveMeanwhile();
    },
    async finish() {
      await saving;
      if (problem !== undefined) throw problem.cause;
      await flush();
      await handle.sync();
      await handle.close();
      await rename(unfinished, path);
      await save(true);
    },
    async pause() {
      await saving;
      await flush();
      await save(false);
      await handle.close();
    },
  };
}

const createDone = (sums: Aggregate): OutputFile => ({
  from: null,
  sums,
  add: () => Promise.resolve(),
  finish: () => Promise.resolve(),
  pause: () => Promise.resolve(),
});

/** One write may take less than it was given. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // Not there: smaller than every file.
    return -1;
  }
}
