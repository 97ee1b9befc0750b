import type { ConversationRecord, PreferenceRecord } from '@lachesis/protocol';
import { parseReply } from '@lachesis/sdk/render';
import { createDatasetVersion, findDataset, findModel, openHome, readDatasetRows, type Store } from '@lachesis/store';
import type { DatasetVersion } from '@lachesis/protocol';
import { createTinkerClient } from '@lachesis/tinker';
import { rerollPreferred, type RerollOptions } from '../dpo/reroll-preferred.ts';
import { TrainerError } from '../trainer-error.ts';
import { isSkipped } from './render-sequence.ts';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { findTokenizer } from '../../models/find-tokenizer.ts';

export interface RerollLoneNegativesOptions {
  readonly home: string;
  readonly databaseUrl?: string | undefined;
  readonly tenantId?: string | undefined;
  /** A data set of rated conversations with their tokens: `name@version`. */
  readonly from: string;
  /** The data set of pairs that is made. */
  readonly name: string;
  readonly tinker: { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };
  /** Who writes the new replies: a model of the registry; the base model of the engine when absent. */
  readonly model?: string | undefined;
  /** Folder or name; the base model when absent. */
  readonly tokenizer?: string | undefined;
  readonly score: RerollOptions['score'];
  /** New replies to try for each; default 4. */
  readonly samples?: number | undefined;
  /** How much better a new reply has to be; default a quarter, as one star of five. */
  readonly minGap?: number | undefined;
  /** Longest reply; default 256. */
  readonly maxTokens?: number | undefined;
  readonly seed?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((sentence: string) => void) | undefined;
}

export interface RerolledNegatives {
  /** Undefined when no pair could be made. */
  readonly dataset: DatasetVersion | undefined;
  readonly pairs: number;
  /** Rows that made no pair, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What is rated below it is disliked. */
const MIDDLE = 0.5;

/** Gives disliked replies a better one beside them, and makes a data set of the pairs: sampled once, and then it never changes. */
export async function rerollLoneNegatives(options: RerollLoneNegativesOptions): Promise<RerolledNegatives> {
  const { home, databaseUrl, tenantId = LOCAL_TENANT, from, name, onProgress = () => undefined } = options;
  const { store, blobs } = await openHome({ home, databaseUrl });
  try {
    const dataset = await findDataset({ store, tenantId, ref: from });
    if (dataset === undefined)
      throw refuse(`There is no data set ${from}. \`lachesis data sets list\` shows what there is.`);
    if (dataset.is_held_out)
      throw refuse(`The data set ${from} is held out: nothing that is trained on is made of it.`);
    const writer = await openWriter({ ...options, store, tenantId });
    const pairs: PreferenceRecord[] = [];
    const skipped: Record<string, number> = {};
    try {
      for await (const record of readDatasetRows({ store, blobs, tenantId, datasetId: dataset.dataset_id })) {
        options.signal?.throwIfAborted();
        if (record.kind !== 'conversation' || (record.rating ?? MIDDLE) >= MIDDLE) continue;
        const pair = await writer.reroll(record);
        if (isSkipped(pair)) skipped[pair.skipped] = (skipped[pair.skipped] ?? 0) + 1;
        else pairs.push(pair);
        onProgress(`${pairs.length} pairs, ${Object.values(skipped).reduce((sum, count) => sum + count, 0)} without`);
      }
    } finally {
      await writer.close();
    }
    if (pairs.length === 0) return { dataset: undefined, pairs: 0, skipped };
    const recipe = { from: `${dataset.name}@${dataset.version}`, reroll: { model: options.model ?? null } };
    const made = await createDatasetVersion({ store, blobs, tenantId, name, isHeldOut: false, recipe, rows: pairs });
    return { dataset: made, pairs: pairs.length, skipped };
  } finally {
    await store.close();
  }
}

async function openWriter(options: RerollLoneNegativesOptions & { store: Store; tenantId: string }): Promise<{
  reroll(record: ConversationRecord): ReturnType<typeof rerollPreferred>;
  close(): Promise<void>;
}> {
  const { store, tenantId, model: ref, samples = 4, minGap = 0.25, maxTokens = 256, seed = 1, score, signal } = options;
  const version = ref === undefined ? undefined : await findModel({ store, tenantId, ref });
  if (ref !== undefined && version === undefined) {
    throw refuse(`There is no model ${ref}. \`lachesis models list\` shows what there is.`);
  }
  const service = await createTinkerClient(options.tinker).connect({ signal });
  try {
    const baseModel = version?.baseModel ?? service.models[0]?.name;
    if (baseModel === undefined) throw refuse('The engine does not say which models it has; name a registered one.');
    const tokenizer = await findTokenizer(options.tokenizer ?? baseModel);
    const weights = version?.weightsPath ?? '';
    const sampler = await service.createSampler({
      ...(weights === '' ? { baseModel } : { modelPath: weights }),
      eosTokens: [...tokenizer.stopTokens],
    });
    return {
      reroll: (record) =>
        rerollPreferred({
          record,
          samples,
          minGap,
          score,
          async sample(prefix, index) {
            const params = { maxTokens, temperature: 1, seed: seed + index };
            const { sequences } = await sampler.sample({ prompt: prefix, params, signal });
            return sequences[0]?.tokens ?? new Int32Array();
          },
          async read(tokens) {
            const { message, stopReason } = await parseReply({ tokenizer, tokens, tools: record.tools ?? undefined });
            // One that was cut off would teach to be cut off.
            return stopReason === 'stop' ? message : undefined;
          },
        }),
      close: () => service.close({ timeoutMs: 30_000 }),
    };
  } catch (error) {
    await service.close({ timeoutMs: 30_000 });
    throw error;
  }
}

const refuse = (message: string): TrainerError => new TrainerError({ kind: 'settings', message });
