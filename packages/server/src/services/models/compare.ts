import {
  improvePlanSchema,
  LachesisError,
  type DataRecord,
  type modelComparisonSchema,
  type modelComparisonLineSchema,
} from '@lachesis/protocol';
import { readDatasetRows, type ModelVersion } from '@lachesis/store';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { needDataset, type DatasetScope } from '../library/datasets.ts';
import { measureModels, type MeasureModels } from '../improve/measure.ts';
import type { EnginePlace } from './bring-adapter.ts';
import { nameOf, needKeptModel } from './find-start.ts';

type ModelComparisonLine = z.infer<typeof modelComparisonLineSchema>;

export interface CompareModelsOptions extends DatasetScope {
  comparison: z.output<typeof modelComparisonSchema>;
  findEngine: () => Promise<EnginePlace>;
  /** Folder or repository of the tokenizer; that of the base model when left out. */
  tokenizer?: string | undefined;
  signal?: AbortSignal | undefined;
  measure?: MeasureModels | undefined;
}

/**
 * Both models on the same rows of a data set: how likely each finds what is there, or replies for the caller to score. What
 * can be refused is refused before the first line.
 */
export async function* compareOnDataset(options: CompareModelsOptions): AsyncGenerator<ModelComparisonLine> {
  const { comparison, findEngine, tokenizer, signal, measure = measureModels } = options;
  const { left, right } = await findBoth(options);
  const { name, rows } = await readRows(options);
  const { baseUrl, apiKey } = await findEngine();
  yield { comparing: { dataset: name, rows: rows.length } };
  const plan = improvePlanSchema.parse({
    ...{ model: right.name, replies: comparison.replies, temperature: comparison.temperature, seed: comparison.seed },
    max_reply_tokens: comparison.max_tokens,
    ...(tokenizer === undefined ? {} : { training: { tokenizer } }),
  });
  const gone = new AbortController();
  // Lines wait here while the caller reads: they are as many as rows.
  const lines = new Readable({ objectMode: true, read: () => undefined });
  const send = (line: ModelComparisonLine): void => void lines.push(line);
  const measuring = measure({
    ...{
      rows,
      plan,
      tinker: { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) },
      current: left,
      candidate: right,
    },
    signal: signal === undefined ? gone.signal : AbortSignal.any([signal, gone.signal]),
    say: (said) => send({ said }),
    score:
      comparison.by === 'likelihood'
        ? undefined
        : async ({ messages, reply }, { row, model }) => {
            send({ reply: { row, model: model === 'current' ? 'left' : 'right', messages: [...messages], reply } });
            return undefined;
          },
  }).then(
    (items) => {
      for (const { id, current, candidate } of items) send({ measured: { id, left: current, right: candidate } });
      lines.push(null);
    },
    (error: unknown) => void lines.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    yield* lines as AsyncIterable<ModelComparisonLine>;
    yield { done: true };
  } finally {
    // Who stops reading wants no more of it.
    gone.abort();
    await measuring;
  }
}

type Compared = Pick<ModelVersion, 'baseModel' | 'name' | 'weightsPath'>;

/** The word `base` is the base model of the other one. */
async function findBoth(options: CompareModelsOptions): Promise<{ left: Compared; right: Compared }> {
  const { left, right } = options.comparison;
  const needThere = (ref: string): Promise<ModelVersion> => needKeptModel({ ...options, ref });
  const toBase = ({ baseModel }: Compared): Compared => ({ name: 'base', baseModel, weightsPath: '' });
  if (left === 'base') {
    const other = await needThere(right);
    return { left: toBase(other), right: other };
  }
  const first = await needThere(left);
  return { left: first, right: right === 'base' ? toBase(first) : await needThere(right) };
}

async function readRows(options: CompareModelsOptions): Promise<{ name: string; rows: DataRecord[] }> {
  const { dataset: ref, split, limit = Infinity } = options.comparison;
  const dataset = await needDataset({ ...options, ref });
  const rows: DataRecord[] = [];
  const only = split === undefined ? {} : { split };
  for await (const row of readDatasetRows({ ...options, datasetId: dataset.dataset_id, ...only })) {
    if (rows.length >= limit) break;
    rows.push(row);
  }
  if (rows.length > 0) return { name: nameOf(dataset), rows };
  const message = `${nameOf(dataset)} has no such rows: ${JSON.stringify(dataset.splits)}`;
  throw new LachesisError({ code: 'conflict', message });
}
