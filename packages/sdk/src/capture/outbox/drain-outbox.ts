import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { captureRecordSchema, type CaptureRecord } from '@lachesis/protocol';
import type { OutboxFolder, OutboxSegment } from './open-outbox-folder.ts';

export interface DrainOptions {
  folder: OutboxFolder;
  /** Resolves when the records are committed. At most `batchSize` at once. */
  deliver: (records: readonly CaptureRecord[]) => Promise<void>;
  /** Says of a failure that the record is at fault and will never be taken; default: none is. */
  isRefusal?: ((error: unknown) => boolean) | undefined;
  /** Where records that are refused are put, one line each; without it they are counted and gone. */
  refusedFile?: string | undefined;
  batchSize?: number | undefined;
}

/** How many records were delivered, and how many were not and why. */
export interface DrainReport {
  delivered: number;
  /** Records the other side will never take. */
  refused: number;
  /** Lines that are no record. */
  unreadable: number;
  /** Segments whose last line breaks off. */
  torn: number;
}

const DEFAULT_BATCH = 200;

/**
 * Delivers what is in an outbox and removes it. Throws what `deliver` throws, with everything that was not delivered
 * still on disk. If we die after a delivery the same records are delivered again, and kept once.
 */
export async function drainOutbox(options: DrainOptions): Promise<DrainReport> {
  const report: DrainReport = { delivered: 0, refused: 0, unreadable: 0, torn: 0 };
  for (const segment of await options.folder.list()) await drainSegment(segment, options, report);
  return report;
}

async function drainSegment(segment: OutboxSegment, options: DrainOptions, report: DrainReport): Promise<void> {
  const { folder, batchSize = DEFAULT_BATCH } = options;
  for (let from = 0; ;) {
    const piece = await folder.read(segment, from);
    const records = piece.lines.flatMap((line) => {
      const record = readRecord(line);
      if (record === undefined) report.unreadable += 1;
      return record === undefined ? [] : [record];
    });
    for (let at = 0; at < records.length; at += batchSize) {
      await deliverBatch(records.slice(at, at + batchSize), options, report);
    }
    from = piece.next;
    if (!piece.isEnd) continue;
    if (piece.isTorn) report.torn += 1;
    if (segment.isClosed) await folder.remove(segment);
    return;
  }
}

async function deliverBatch(
  records: readonly CaptureRecord[],
  options: DrainOptions,
  report: DrainReport,
): Promise<void> {
  const { deliver, isRefusal = () => false, refusedFile } = options;
  try {
    await deliver(records);
    report.delivered += records.length;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const [only, ...others] = records;
    // One bad record must not hold up the others: each is tried by itself.
    if (others.length > 0) {
      for (const record of records) await deliverBatch([record], options, report);
    } else if (only !== undefined) {
      report.refused += 1;
      if (refusedFile !== undefined)
        await appendFile(path.resolve(refusedFile), `${JSON.stringify(only)}\n`, { mode: 0o600 });
    }
  }
}

function readRecord(line: string): CaptureRecord | undefined {
  try {
    return captureRecordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    // A line that is no JSON; it is counted.
    return undefined;
  }
}
