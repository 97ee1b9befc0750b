import { join } from 'node:path';
import { type Clock, realClock, type Redactor } from '@lachesis/protocol';
import { openWork, type WorkCounts, type JobRef } from '@lachesis/store';
import { writePieces } from '../export/write-pieces.ts';
import type { BatchAgent, BatchInput } from './batch-agent.ts';
import { BatchError } from './batch-error.ts';
import { type BatchSettings, batchSettingsSchema } from './batch-settings.ts';
import { type CostMeter, createCostMeter } from './cost-meter.ts';
import { adoptRun } from './files/adopt-run.ts';
import { toBatchRecord, toEndedItem } from './files/format-entry.ts';
import { findRunFiles, openRunFiles, type BatchRunFiles } from './files/open-run-files.ts';
import { writeJson } from './files/write-json.ts';
import { type HolderNames, readHolderNames } from './holder-name.ts';
import { createRetrier } from './create-retrier.ts';
import { createRequestGate, type RequestGate } from './request-gate.ts';
import { recordBatch, type SendRecords } from './record-batch.ts';
import { runWorkers, type WorkEvent } from './run-workers.ts';
import { type BatchStatistics, collectStatistics } from './statistics/collect-statistics.ts';
import { drawReport } from './statistics/draw-report.ts';

/** How often files are brought up to date and progress is told. */
const TICK_MS = 1_000;
/** The checkpoint names every prompt that is done, so a long run does not write it every second. */
const FILES_MS = 5_000;

/** What an agent of a job is made of. */
export interface AgentParts {
  settings: BatchSettings;
  gate: RequestGate;
  meter: CostMeter;
  names: HolderNames;
  stopping: AbortSignal;
}

export interface WorkOptions {
  place: JobRef;
  createAgent: (parts: AgentParts) => BatchAgent | Promise<BatchAgent>;
  /** How many items at once. */
  concurrency: number;
  stopping: AbortSignal;
  hurry: AbortSignal;
  onEvent?: (event: WorkEvent) => void;
  /** Takes secrets out of what is kept. */
  redactor?: Redactor | undefined;
  leaseSeconds?: number;
  names?: HolderNames;
  clock?: Clock;
  now?: () => Date;
}

/** Works on a job that is there, beside whoever else does, until nothing is left of it. */
export async function workOnBatch(options: WorkOptions): Promise<{ meter: CostMeter }> {
  const { place, names = readHolderNames(), clock = realClock, concurrency, stopping, hurry, onEvent } = options;
  const work = openWork(place);
  const job = await work.find();
  if (job === undefined) {
    throw new BatchError({
      ...{ kind: 'refused', what: `There is no run ${JSON.stringify(place.name)} in this database` },
      hint: 'Start it with `lachesis batch` on the same --database-url',
    });
  }
  const settings = batchSettingsSchema.parse(job.settings);
  const meter = createCostMeter({ maxCost: settings.max_cost });
  meter.learn((await work.count()).cost);
  const gate = createRequestGate({
    ...{ clock, requestsPerMinute: settings.requests_per_minute },
    shared: work.requests,
  });
  await gate.refresh();
  const agent = await options.createAgent({ settings, gate, meter, names, stopping });
  try {
    await runWorkers({
      ...{ place, settings, agent, concurrency, names, gate, meter, stopping, hurry, clock },
      ...{ redactor: options.redactor, ...(onEvent === undefined ? {} : { onEvent }) },
      ...(options.leaseSeconds === undefined ? {} : { leaseSeconds: options.leaseSeconds }),
      ...(options.now === undefined ? {} : { now: options.now }),
    });
  } finally {
    await agent.close?.();
  }
  return { meter };
}

export interface RunBatchOptions extends WorkOptions {
  settings: BatchSettings;
  inputs: readonly BatchInput[];
  /** Where the files go. */
  directory: string;
  isResuming: boolean;
  onProgress?: (counts: WorkCounts) => void;
  /** Takes what was said into a library, once all is over. Absent: the files have it, and nothing else. */
  record?: SendRecords | undefined;
  /** What was found at the start, for people. */
  onNote?: (note: string) => void;
}

/** How many items of a batch came to which end, and where its files are. */
export interface BatchOutcome {
  counts: WorkCounts;
  directory: string;
  /** Absent when the work was ended before its end. */
  statistics?: BatchStatistics;
  /** Under which source the library has the conversations, and how many. */
  recorded?: { source: string; conversations: number };
}

/** Makes a job of prompts or goes on with one, works on it, and keeps the files of its folder. */
export async function runBatch(options: RunBatchOptions): Promise<BatchOutcome> {
  const { place, settings, directory, clock = realClock, onProgress = () => undefined } = options;
  const work = openWork(place);
  await prepareJob(options);
  const begun = clock.now();
  onProgress(await work.count());
  const files = await openRunFiles({
    ...{ place, directory, batchSize: settings.batch_size },
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  const patiently = createRetrier({ clock, signal: options.hurry });
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (let at = clock.now() + FILES_MS; !over.signal.aborted;) {
      await clock.sleep(TICK_MS, over.signal);
      if (over.signal.aborted) return;
      onProgress(await patiently(() => work.count()));
      if (clock.now() < at) continue;
      await patiently(() => files.update());
      at = clock.now() + FILES_MS;
    }
  };
  const watching = watch();
  // Looked at when the work is over; a disk that is full ends it there.
  watching.catch(() => undefined);
  try {
    await workOnBatch(options);
  } finally {
    over.abort();
    await watching;
    await patiently(() => files.update());
  }
  const counts = await patiently(() => work.count());
  onProgress(counts);
  if (counts.ready + counts.leased > 0) return { counts, directory };
  const statistics = await collectStatistics({
    ...{ place, settings, counts, durationSeconds: (clock.now() - begun) / 1000 },
    ...(options.now === undefined ? {} : { now: options.now }),
  });
  await writeEnd(files, place, statistics);
  if (options.record === undefined) return { counts, directory, statistics };
  // The files are there, and are what was asked for; who goes on with the job brings in what is missing.
  const recorded = await recordBatch({ place, settings, send: options.record });
  return { counts, directory, statistics, recorded };
}

async function writeEnd(files: BatchRunFiles, place: JobRef, statistics: BatchStatistics): Promise<void> {
  const { directory } = files;
  await files.writeTrajectories();
  await files.writeDiscarded();
  await files.writeFailures();
  const records = async function* () {
    for await (const item of openWork(place).iterate({ states: ['done'] })) {
      const record = await toBatchRecord(toEndedItem(item));
      if (record !== undefined) yield record;
    }
  };
  // Loaded at the end: a worker that is started often never needs it. All fields are named, so that no row has to be kept.
  const [{ writeParquet }, { HERMES_COLUMNS, MESSAGE_FIELDS }] = await Promise.all([
    import('../export/parquet/write-parquet.ts'),
    import('../export/parquet/parquet-schema.ts'),
  ]);
  const parquet = writeParquet(records(), {
    ...{ messageFields: MESSAGE_FIELDS, kind: 'conversation', further: HERMES_COLUMNS },
  });
  await writePieces(join(directory, 'trajectories.parquet'), parquet);
  await writeJson(join(directory, 'statistics.json'), statistics);
  await writePieces(join(directory, 'report.html'), [drawReport(statistics)]);
}

async function prepareJob(options: RunBatchOptions): Promise<void> {
  const { place, settings, inputs, directory, isResuming, onNote = () => undefined } = options;
  const { name } = place;
  const work = openWork(place);
  const job = await work.find();
  const found = await findRunFiles(directory);
  if (!isResuming && (job !== undefined || found.length > 0)) {
    const where =
      job === undefined
        ? `${directory} has ${found[0] ?? 'files'} of a run`
        : `There is a run ${JSON.stringify(name)} already`;
    throw new BatchError({
      ...{ kind: 'refused', what: where },
      hint: 'Go on with it with --resume, take another --run_name, or throw it away with --overwrite',
    });
  }
  if (job === undefined) {
    await work.create({ settings, inputs });
    if (isResuming && found.length > 0) {
      const adopted = await adoptRun(place, { directory, inputs });
      onNote(`${adopted} prompts were done by another runner in ${directory}; they are kept`);
    }
    return;
  }
  if (!work.isMadeFrom(job, inputs)) {
    throw new BatchError({
      ...{ kind: 'refused', what: `The prompts of ${JSON.stringify(name)} are not those it was begun with` },
      hint: 'Rows may be added at the end of the file; for other prompts take another --run_name',
    });
  }
  const before = batchSettingsSchema.parse(job.settings);
  if (before.batch_size !== settings.batch_size) {
    throw new BatchError({
      ...{ kind: 'refused', what: `The run was begun with --batch_size ${before.batch_size}` },
      hint: 'Its files are named by that: give the same',
    });
  }
  if (inputs.length > job.itemCount) await work.extend({ inputs, job });
  await work.changeSettings(settings);
  const again = await work.retryFailed({ maxAttempts: settings.max_attempts });
  const counts = await work.count();
  onNote(
    `${counts.done + counts.discarded} of ${inputs.length} prompts are done` +
      (again > 0 ? `, ${again} that failed are tried again` : '') +
      (counts.failed > 0 ? `, ${counts.failed} stay failed (--max-attempts ${settings.max_attempts})` : ''),
  );
}
