import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openWork, type WorkItem, type JobRef } from '@lachesis/store';
import { writePieces } from '../../export/write-pieces.ts';
import { formatEntry, toEndedItem } from './format-entry.ts';
import { writeJson } from './write-json.ts';

type WorkState = WorkItem['state'];

/** What a run left in its folder, by the names that Hermes' readers look for. */
const OURS = /^(batch_\d+\.jsonl|trajectories\.jsonl|checkpoint\.json|statistics\.json)$/;

export interface RunFilesOptions {
  place: JobRef;
  directory: string;
  batchSize: number;
  now?: () => Date;
}

/** The folder of a run. Each file appears whole; the rows of the store are what counts, and the files can be made again. */
export interface BatchRunFiles {
  readonly directory: string;
  /** Writes the batches that have ended since the last time, and the checkpoint. */
  update(): Promise<void>;
  /** Lines of `trajectories.jsonl`, in the order of the prompts. */
  writeTrajectories(): Promise<number>;
  /** What was not kept, with the reason. */
  writeDiscarded(): Promise<number>;
  /** Items without a result, with the reason and the number of attempts. */
  writeFailures(): Promise<number>;
}

const ENDED: ReadonlySet<WorkState> = new Set(['done', 'discarded', 'failed']);

export async function openRunFiles({
  place,
  directory,
  batchSize,
  now = () => new Date(),
}: RunFilesOptions): Promise<BatchRunFiles> {
  await mkdir(directory, { recursive: true });
  const written = new Set<number>();
  let checkpoint = '';

  const update = async (): Promise<void> => {
    const states = await openWork(place).listStates();
    const stats: Record<string, object> = {};
    for (let batch = 0; batch * batchSize < states.length; batch += 1) {
      const some = states.slice(batch * batchSize, (batch + 1) * batchSize);
      if (!some.every((state) => ENDED.has(state))) continue;
      const discarded = some.filter((state) => state === 'discarded').length;
      stats[batch] = { processed: some.length, skipped: 0, discarded_no_reasoning: discarded };
      // What failed may still be done when more attempts are allowed.
      const isFinal = !some.includes('failed');
      if (written.has(batch)) continue;
      if (some.includes('done')) await writeBatch(batch);
      if (isFinal) written.add(batch);
    }
    const completed = states.flatMap((state, index) => (state === 'done' || state === 'discarded' ? [index] : []));
    const failed = states.flatMap((state, index) => (state === 'failed' ? [index] : []));
    const told = { run_name: place.name, completed_prompts: completed, batch_stats: stats, failed_prompts: failed };
    const text = JSON.stringify(told);
    if (text === checkpoint) return;
    checkpoint = text;
    const { failed_prompts, ...known } = told;
    await writeJson(join(directory, 'checkpoint.json'), {
      ...known,
      last_updated: now().toISOString(),
      failed_prompts,
    });
  };
  const writeBatch = async (batch: number): Promise<void> => {
    const range = { from: batch * batchSize, to: (batch + 1) * batchSize };
    await writeLines(`batch_${batch}.jsonl`, ['done'], formatItem, range);
  };
  const formatItem = (item: WorkItem): string => formatEntry(toEndedItem(item), batchSize);
  const writeLines = async (
    file: string,
    states: WorkState[],
    format: (item: WorkItem) => string,
    range: { from?: number; to?: number } = {},
  ): Promise<number> => {
    let count = 0;
    const lines = async function* (): AsyncGenerator<string> {
      for await (const item of openWork(place).iterate({ states, ...range })) {
        count += 1;
        yield `${format(item)}\n`;
      }
    };
    await writePieces(join(directory, file), lines());
    return count;
  };
  return {
    directory,
    update,
    writeTrajectories: () => writeLines('trajectories.jsonl', ['done'], formatItem),
    writeDiscarded: () => writeLines('discarded.jsonl', ['discarded'], formatItem),
    writeFailures: () =>
      writeLines('failures.jsonl', ['failed'], ({ index, attempt, reason, cost, input }) =>
        JSON.stringify({ prompt_index: index, attempts: attempt, reason, cost, ...(input as object) }),
      ),
  };
}

/** Files of a run that are there already. */
export async function findRunFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => OURS.test(name));
}
