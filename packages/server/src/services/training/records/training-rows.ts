import { gateRecords } from '@lachesis/data';
import type { DataRecord } from '@lachesis/protocol';
import type { Tokenizer } from '@lachesis/sdk/render';
import { findDataset, findHeldOut, readDatasetRows, type BlobStore, type Store } from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import { TrainerError } from '../trainer-error.ts';
import type { RecordExample, RecordMethod } from './method.ts';
import type { RecordTrainingProgress } from './deps.ts';
import { isSkipped } from './render-sequence.ts';
import type { RecordTrainingSettings } from './settings.ts';
import { createToolGuard } from './tool-guard.ts';

export interface ReadExamplesOptions {
  store: Store;
  blobs: BlobStore;
  tenantId: string;
  dataset: DatasetVersion;
  method: RecordMethod;
  settings: RecordTrainingSettings;
  tokenizer: Tokenizer;
  onProgress: (progress: RecordTrainingProgress) => void;
}

export interface ReadExamples {
  /** To train on, in the order of the data set. */
  examples: readonly RecordExample[];
  /** To measure with. */
  measured: readonly RecordExample[];
  /** Rows to train on that were left out, by reason. */
  skipped: Record<string, number>;
}

/** Rows between two words of progress. */
const TOLD_EVERY = 1_000;

/** The rows of the splits as examples. A row without the consent, or in a held-out set, is never trained on. */
export async function readExamples(options: ReadExamplesOptions): Promise<ReadExamples> {
  const { store, tenantId, dataset, settings, onProgress } = options;
  const skipped: Record<string, number> = {};
  const all = readDatasetRows({ ...options, datasetId: dataset.dataset_id, split: settings.train_split });
  // The set was made by the same rule; what was held out since then is found here.
  const trainable = gateRecords(all, {
    consents: ['train'],
    findHeldOut: (digests) =>
      findHeldOut({
        store,
        tenantId,
        digests,
        ...(settings.model_name === null ? {} : { model: settings.model_name }),
      }),
    drops: { add: (_field, reason) => void (skipped[reason] = (skipped[reason] ?? 0) + 1) },
  });
  const examples = await toExamples(options, trainable, skipped);
  if (examples.length === 0) throw new TrainerError({ kind: 'settings', message: explainEmpty(options, skipped) });
  const measured = await toExamples(options, await openMeasured(options), {});
  onProgress({
    phase: 'read',
    detail: `${examples.length} examples to train on, ${measured.length} to measure with, ${sum(skipped)} rows left out`,
    step: 0,
    totalSteps: 0,
  });
  return { examples, measured, skipped };
}

async function openMeasured(options: ReadExamplesOptions): Promise<AsyncIterable<DataRecord>> {
  const { store, tenantId, dataset, settings } = options;
  if (settings.eval_dataset === null) {
    return readDatasetRows({ ...options, datasetId: dataset.dataset_id, split: settings.eval_split });
  }
  const other = await findDataset({ store, tenantId, ref: settings.eval_dataset });
  if (other !== undefined) return readDatasetRows({ ...options, datasetId: other.dataset_id });
  throw new TrainerError({
    kind: 'settings',
    message: `There is no data set ${settings.eval_dataset} to measure with. \`lachesis data sets list\` shows what there is.`,
  });
}

async function toExamples(
  { method, settings, tokenizer, onProgress }: ReadExamplesOptions,
  rows: AsyncIterable<DataRecord>,
  skipped: Record<string, number>,
): Promise<readonly RecordExample[]> {
  const context = { tokenizer, maxTokens: settings.max_tokens };
  const refuseDropped = createToolGuard(tokenizer, settings);
  const examples: RecordExample[] = [];
  let read = 0;
  for await (const record of rows) {
    refuseDropped(record);
    const example = await method.toExample(record, context);
    if (isSkipped(example)) skipped[example.skipped] = (skipped[example.skipped] ?? 0) + 1;
    else examples.push(example);
    read += 1;
    if (read % TOLD_EVERY === 0) onProgress({ phase: 'read', detail: `${read} rows read`, step: 0, totalSteps: 0 });
  }
  return method.arrange?.(examples) ?? examples;
}

function explainEmpty({ dataset, settings, method }: ReadExamplesOptions, skipped: Record<string, number>): string {
  const splits = Object.entries(dataset.splits).map(([name, count]) => `${count} ${name}`);
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} × ${reason}`);
  return (
    `The data set ${dataset.name}@${dataset.version} has nothing that ${method.name} can learn from in its split ${settings.train_split} ` +
    `(rows by split: ${splits.join(', ') || 'none'}; left out: ${reasons.join(', ') || 'none'}).`
  );
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);
