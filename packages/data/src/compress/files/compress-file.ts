import { createReadStream } from 'node:fs';
import { createSlots } from '@lachesis/protocol';
import { readLines } from '../../import/lines/read-lines.ts';
import { parsePythonJson } from '../../records/python/parse-python-json.ts';
import { CompressionError } from '../compression-error.ts';
import type { CompressedRow } from '../compress-row.ts';
import { type Aggregate, addFailure, addRow, addUnreadable } from '../metrics/aggregate.ts';
import { NoSummaryError } from '../summarize/create-model-summarizer.ts';
import type { OutputFile, RowPlace } from './open-output.ts';

export interface CompressFileOptions {
  /** Its name, as failures and provenance have it. */
  readonly name: string;
  readonly path: string;
  readonly output: OutputFile;
  /** Places of the rows to take, from 0; all when left out. */
  readonly sample?: ReadonlySet<number> | undefined;
  readonly compress: (row: { text: string; line: number; signal: AbortSignal }) => Promise<CompressedRow>;
  /** Rows worked on at once. */
  readonly rowsAtOnce: number;
  readonly rowTimeoutMs: number;
  /** Stops taking rows; those under way are finished. */
  readonly signal: AbortSignal;
  /** Gives up those under way too. */
  readonly hurry: AbortSignal;
  readonly onProgress?: ((progress: { bytesRead: number; sums: Aggregate }) => void) | undefined;
}

/** Rows that wait for an earlier one are bounded by number and by size: a file of any length takes the same memory. */
const ROWS_WAITING_PER_SLOT = 4;
const CHARACTERS_WAITING = 8 * 1024 * 1024;
const READ_BYTES = 512 * 1024;

type Outcome = CompressedRow | { kind: 'failed'; error: unknown } | { kind: 'given-up'; error: unknown };

interface Waiting {
  readonly text: string;
  readonly place: RowPlace;
  readonly outcome: Promise<Outcome>;
  isSettled: boolean;
}

/** Reads a file row by row, works on several at once and writes them in their order. True when it came to the end. */
export async function compressFile(options: CompressFileOptions): Promise<boolean> {
  const { output, sample, signal, path, rowsAtOnce } = options;
  if (output.from === null) return true;
  const input = createReadStream(path, { highWaterMark: READ_BYTES });
  const slots = createSlots(rowsAtOnce);
  const queue: Waiting[] = [];
  let characters = 0;
  let rows = output.from.rows;

  const writeNext = async (): Promise<void> => {
    const next = queue.shift();
    if (next === undefined) return;
    characters -= next.text.length;
    await writeOutcome(options, next);
    options.onProgress?.({ bytesRead: input.bytesRead, sums: output.sums });
  };
  const isFull = (): boolean => queue.length >= rowsAtOnce * ROWS_WAITING_PER_SLOT || characters >= CHARACTERS_WAITING;
  const start = (text: string, place: RowPlace, release: () => void): void => {
    const outcome = workOn(options, text, place).finally(release);
    const waiting: Waiting = { text, place, outcome, isSettled: false };
    void outcome.then(() => (waiting.isSettled = true));
    queue.push(waiting);
    characters += text.length;
  };

  try {
    for await (const line of readLines(input)) {
      if (signal.aborted) break;
      if (line.at <= output.from.line) continue;
      if ('problem' in line) {
        while (queue.length > 0) await writeNext();
        addUnreadable(output.sums, { file: options.name, line: line.at, reason: line.problem });
        continue;
      }
      const place = { line: line.at, rows };
      if (sample !== undefined) {
        if (!isJson(line.text)) continue;
        rows += 1;
        if (!sample.has(rows - 1)) continue;
      }
      while (queue[0]?.isSettled === true) await writeNext();
      while (isFull()) await writeNext();
      const release = await slots.take();
      start(line.text, { ...place, rows }, release);
    }
    while (queue.length > 0) await writeNext();
    if (signal.aborted) await output.pause();
    else await output.finish();
    return !signal.aborted;
  } catch (error) {
    // Those under way have been paid for: they are kept by the journal before the run ends.
    await Promise.allSettled(queue.map(({ outcome }) => outcome));
    await output.pause();
    if (options.hurry.aborted) return false;
    throw error;
  } finally {
    input.destroy();
  }
}

/** Never rejects: it may be settled long before anybody looks. */
async function workOn(
  { compress, rowTimeoutMs, hurry }: CompressFileOptions,
  text: string,
  place: RowPlace,
): Promise<Outcome> {
  const limit = new AbortController();
  const giveUp = (): void => limit.abort(hurry.reason);
  const timer = setTimeout(() => {
    const reason = `it took longer than ${rowTimeoutMs / 1000} seconds, so it stays as it was`;
    limit.abort(new CompressionError({ kind: 'no-summary', reason }));
  }, rowTimeoutMs);
  hurry.addEventListener('abort', giveUp, { once: true });
  try {
    if (hurry.aborted) giveUp();
    return await compress({ text, line: place.line, signal: limit.signal });
  } catch (error) {
    if (hurry.aborted) return { kind: 'given-up', error };
    if (CompressionError.isInstance(error) && (error.kind === 'no-summary' || error.kind === 'bad-input'))
      return { kind: 'failed', error };
    return { kind: 'given-up', error };
  } finally {
    clearTimeout(timer);
    hurry.removeEventListener('abort', giveUp);
  }
}

async function writeOutcome({ output, name }: CompressFileOptions, waiting: Waiting): Promise<void> {
  const { text, place } = waiting;
  const outcome = await waiting.outcome;
  const { sums } = output;
  const failure = (reason: string) => ({ file: name, line: place.line, reason });
  switch (outcome.kind) {
    case 'given-up':
      throw outcome.error;
    case 'unreadable':
      addUnreadable(sums, failure(outcome.reason));
      return output.add(undefined, place);
    case 'failed': {
      const { error } = outcome;
      const spent = error instanceof NoSummaryError ? error : { calls: 0, errors: 0 };
      addFailure(sums, failure(error instanceof Error ? error.message : String(error)), spent);
      return output.add(text, place);
    }
    case 'unchanged':
      addRow(sums, outcome.metrics);
      return output.add(outcome.text, place);
    case 'compressed':
      addRow(sums, outcome.metrics, outcome.extras);
      return output.add(outcome.text, place);
  }
}

export function isJson(text: string): boolean {
  try {
    parsePythonJson(text);
    return true;
  } catch {
    // That is the answer.
    return false;
  }
}
