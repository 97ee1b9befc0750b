import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '@lachesis/protocol';
import { formatPythonJson } from '@lachesis/sdk/render';
import { writePieces } from '../export/write-pieces.ts';
import { compressRow } from './compress-row.ts';
import { compressFile } from './files/compress-file.ts';
import { countRows } from './files/count-rows.ts';
import { lockOutput } from './files/lock-output.ts';
import { checkpointPath, openOutput } from './files/open-output.ts';
import { type FilePair, planFiles } from './files/plan-files.ts';
import { createKeptSummarizer } from './journal/create-kept-summarizer.ts';
import { openSummaryJournal } from './journal/open-summary-journal.ts';
import type { SummaryJournal } from './journal/summary-journal.ts';
import { type Aggregate, joinAggregates } from './metrics/aggregate.ts';
import { formatAggregate } from './metrics/format-aggregate.ts';
import { chooseSample } from './sample/choose-sample.ts';
import { type PythonRandom, createPythonRandom } from './sample/create-python-random.ts';
import type { CompressionSettings } from './settings/compression-settings.ts';
import type { Summarizer } from './summarize/summary.ts';
import type { TokenCounter } from './tokens/token-counter.ts';

/** How far `compressFiles` has read, with the sums so far. */
export interface CompressionProgress {
  /** Of the input, of all files. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly sums: Aggregate;
}

export interface SampleOptions {
  /** Above 0, up to 100. */
  readonly percent: number;
  readonly seed: number;
}

/** Which files are compressed, to where, how, and who counts tokens and writes summaries. */
export interface CompressFilesOptions {
  /** A file of JSON lines, or a folder that holds some. It is never written to. */
  readonly input: string;
  readonly output?: string | undefined;
  readonly settings: CompressionSettings;
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  readonly sample?: SampleOptions | undefined;
  /** Ends in order: rows under way are finished, and the next run goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Ends at once. */
  readonly hurry?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CompressionProgress) => void) | undefined;
  readonly openJournal?: ((path: string) => Promise<SummaryJournal>) | undefined;
  readonly clock?: Clock | undefined;
  readonly now?: (() => number) | undefined;
}

/** What `compressFiles` did: the output, the sums, and whether it came to its end. */
export interface CompressionReport {
  readonly output: string;
  readonly metricsFile: string | undefined;
  /** False when it was ended before its end; the same call goes on. */
  readonly isDone: boolean;
  readonly notes: readonly string[];
  readonly sums: Aggregate;
  /** What stands in the metrics file. */
  readonly metrics: Readonly<Record<string, unknown>>;
}

const NEVER = new AbortController().signal;

/**
 * Shortens the trajectories of files that are too long by summaries of their middle. Killed at any moment, the same
 * call goes on, and no summary in the journal is asked for again.
 */
export async function compressFiles(options: CompressFilesOptions): Promise<CompressionReport> {
  const { settings, counter, summarizer, now = Date.now, signal = NEVER } = options;
  const startedAt = new Date(now());
  const plan = await planFiles(options);
  using _lock = lockOutput(plan.lockFile);
  await mkdir(dirname(plan.journalFile), { recursive: true });
  await using journal = await (options.openJournal ?? openSummaryJournal)(plan.journalFile);
  const summarize = createKeptSummarizer({ summarizer, journal });
  const random = options.sample === undefined ? undefined : createPythonRandom(options.sample.seed);

  const bytesTotal = plan.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const finished: Aggregate[] = [];
  let bytesBefore = 0;
  let isDone = true;
  for (const pair of plan.files) {
    const name = basename(pair.input);
    const sample = await drawSample(options, pair, random);
    const output = await openOutput({ path: pair.output, identity: nameWork(options, pair), clock: options.clock });
    isDone = await compressFile({
      ...{ name, path: pair.input, output, sample, signal, hurry: options.hurry ?? NEVER },
      ...{ rowsAtOnce: settings.maxConcurrentRequests, rowTimeoutMs: settings.rowTimeoutSeconds * 1000 },
      compress: ({ text, line, signal: rowSignal }) =>
        compressRow({
          ...{ text, settings, counter, summarize, signal: rowSignal },
          ...{ source: { file: name, line }, identity: summarizer.identity },
        }),
      onProgress: ({ bytesRead, sums }) =>
        options.onProgress?.({
          bytesRead: bytesBefore + bytesRead,
          bytesTotal,
          sums: finished.length === 0 ? sums : joinAggregates([...finished, sums]),
        }),
    });
    finished.push(output.sums);
    bytesBefore += pair.bytes;
    if (!isDone) break;
  }
  const sums = joinAggregates(finished);
  const metrics = formatAggregate(
    sums,
    { startedAt, endedAt: new Date(now()) },
    { tokenizer: counter.name, summarizer: summarizer.identity },
  );
  const metricsFile = isDone && settings.metricsEnabled ? plan.metricsFile : undefined;
  if (metricsFile !== undefined) await writePieces(metricsFile, [formatPythonJson(metrics, { indent: 2 })]);
  // Without these the next call begins anew: it asks again for rows that failed, and the journal has the others.
  if (isDone) for (const { output } of plan.files) await rm(checkpointPath(output), { force: true });
  return { output: plan.output, metricsFile, isDone, notes: plan.notes, sums, metrics };
}

async function drawSample(
  { sample }: CompressFilesOptions,
  { input }: FilePair,
  random: PythonRandom | undefined,
): Promise<ReadonlySet<number> | undefined> {
  if (sample === undefined || random === undefined) return undefined;
  return chooseSample({ rows: await countRows(input), percent: sample.percent, random });
}

/** The same work has the same name: another input, other settings or another sample begin the file again. */
function nameWork({ settings, counter, summarizer, sample }: CompressFilesOptions, pair: FilePair): string {
  const { input, bytes, modifiedMs } = pair;
  const facts = [basename(input), bytes, modifiedMs, settings, counter.name, summarizer.identity, sample ?? null];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
