import { hash } from 'node:crypto';
import type { RecordExample, RecordModel } from './method.ts';
import { wholeOf } from './to-datum.ts';

/** Keeps logprobs by what they were made of. One that has nothing costs time and nothing else. */
export interface ReferenceCache {
  /** Undefined when there is nothing under the key. */
  read(key: string): Promise<Float32Array | undefined>;
  write(key: string, values: Float32Array): Promise<void>;
}

export interface AddReferenceOptions {
  examples: readonly RecordExample[];
  /** The weights that stay as they are: base model, and the state where it is not the base model itself. */
  weights: { baseModel: string; state: string | null };
  /** Digest of the data set, for the key. */
  dataset: string;
  batchSize: number;
  cache: ReferenceCache;
  /** A model with those weights, asked for only when the cache has nothing. */
  openModel(): Promise<{ model: RecordModel; release(): Promise<void> }>;
  onProgress: (done: number) => void;
  signal: AbortSignal;
}

/** The examples with the logprobs of their targets under the frozen weights: from the cache, or measured once. */
export async function addReference(options: AddReferenceOptions): Promise<RecordExample[]> {
  const { examples, cache } = options;
  if (examples.length === 0) return [];
  const key = keyOf(options);
  const lengths = examples.flatMap(({ datums }) => datums.map(({ tokens }) => tokens.length));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const known = await cache.read(key);
  // Of another length it is not ours, whatever its key says.
  if (known?.length === total) return share(examples, known);
  const values = await measure(options, total);
  await cache.write(key, values);
  return share(examples, values);
}

async function measure(options: AddReferenceOptions, total: number): Promise<Float32Array> {
  const { examples, batchSize, openModel, onProgress, signal } = options;
  const values = new Float32Array(total);
  const { model, release } = await openModel();
  try {
    let at = 0;
    for (let start = 0; start < examples.length; start += batchSize) {
      signal.throwIfAborted();
      const batch = examples.slice(start, start + batchSize);
      const { logprobs } = await model.forward(batch.flatMap(({ datums }) => datums));
      for (const own of logprobs) {
        values.set(own, at);
        at += own.length;
      }
      onProgress(Math.min(examples.length, start + batchSize));
    }
  } finally {
    await release();
  }
  return values;
}

function share(examples: readonly RecordExample[], values: Float32Array): RecordExample[] {
  let at = 0;
  return examples.map((example) => ({
    ...example,
    reference: example.datums.map(({ tokens }) => {
      at += tokens.length;
      return values.subarray(at - tokens.length, at);
    }),
  }));
}

/** Data set, weights, and the tokens themselves: another template or limit gives other tokens and another key. */
function keyOf({ examples, weights, dataset }: AddReferenceOptions): string {
  const parts = examples.flatMap(({ datums }) =>
    datums.map((datum) => hash('sha256', new Uint8Array(wholeOf(datum).buffer), 'hex')),
  );
  return hash('sha256', JSON.stringify([dataset, weights.baseModel, weights.state, ...parts]), 'hex');
}
