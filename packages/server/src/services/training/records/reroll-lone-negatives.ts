import type { ConversationRecord, DatasetVersion, PreferenceRecord } from '@lachesis/protocol';
import type { ControlClient, LibraryClient } from '@lachesis/sdk';
import { rerollPreferred, type RerollOptions } from '../dpo/reroll-preferred.ts';
import { TrainerError } from '../trainer-error.ts';
import { isSkipped } from './render-sequence.ts';

type Prompt = Parameters<ControlClient['sampleReplies']>[0]['prompts'][number];
type Sampled = Awaited<ReturnType<ReturnType<ControlClient['sampleReplies']>['next']>>['value'];

export interface RerollLoneNegativesOptions {
  /** Where the rows are and the pairs go: here, or behind a server. */
  readonly library: Pick<LibraryClient, 'createDataset' | 'readDataset' | 'readDatasetRows'>;
  /** Who writes the new replies: one for each of these prompts, in order. */
  readonly sample: (prompts: Prompt[]) => AsyncIterable<Sampled>;
  /** A data set of rated conversations with their tokens: `name@version`. */
  readonly from: string;
  /** The data set of pairs that is made. */
  readonly name: string;
  /** The model that `sample` asks, for the recipe; the base model of the engine when absent. */
  readonly model?: string | undefined;
  readonly score: RerollOptions['score'];
  /** New replies to try for each; default 4. */
  readonly samples?: number | undefined;
  /** How much better a new reply has to be; default a quarter, as one star of five. */
  readonly minGap?: number | undefined;
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
/** So many are asked for together. */
const ROWS_AT_ONCE = 32;

/** Gives disliked replies a better one beside them, and makes a data set of the pairs: sampled once, and then it never changes. */
export async function rerollLoneNegatives(options: RerollLoneNegativesOptions): Promise<RerolledNegatives> {
  const { library, from, name, onProgress = () => undefined } = options;
  const dataset = await library.readDataset(from);
  if (dataset === undefined)
    throw refuse(`There is no data set ${from}. \`lachesis data sets list\` shows what there is.`);
  if (dataset.is_held_out) throw refuse(`The data set ${from} is held out: nothing that is trained on is made of it.`);
  const pairs: PreferenceRecord[] = [];
  const skipped: Record<string, number> = {};
  for await (const some of listDisliked(library.readDatasetRows(from))) {
    options.signal?.throwIfAborted();
    for (const pair of await rerollTogether(some, options)) {
      if (isSkipped(pair)) skipped[pair.skipped] = (skipped[pair.skipped] ?? 0) + 1;
      else pairs.push(pair);
    }
    onProgress(`${pairs.length} pairs, ${Object.values(skipped).reduce((sum, count) => sum + count, 0)} without`);
  }
  if (pairs.length === 0) return { dataset: undefined, pairs: 0, skipped };
  const recipe = { from: `${dataset.name}@${dataset.version}`, reroll: { model: options.model ?? null } };
  const made = await library.createDataset({ name, is_held_out: false, recipe, rows: pairs });
  return { dataset: made, pairs: pairs.length, skipped };
}

async function* listDisliked(rows: ReturnType<LibraryClient['readDatasetRows']>): AsyncGenerator<ConversationRecord[]> {
  let some: ConversationRecord[] = [];
  for await (const record of rows) {
    if (record.kind !== 'conversation' || (record.rating ?? MIDDLE) >= MIDDLE) continue;
    some.push(record);
    if (some.length < ROWS_AT_ONCE) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

async function rerollTogether(
  records: readonly ConversationRecord[],
  { sample, score, samples = 4, minGap = 0.25, seed = 1 }: RerollLoneNegativesOptions,
): Promise<Awaited<ReturnType<typeof rerollPreferred>>[]> {
  const rounds = createRounds(records.length, sample);
  return await Promise.all(
    records.map(async (record) => {
      const read = new Map<Int32Array, Sampled['reply']>();
      try {
        return await rerollPreferred({
          ...{ record, samples, minGap, score },
          async sample(prefix, index) {
            const prompt = { tokens: [...prefix], seed: seed + index };
            const { tokens, reply } = await rounds.ask({ ...prompt, tools: record.tools ?? undefined });
            const sampled = Int32Array.from(tokens);
            read.set(sampled, reply);
            return sampled;
          },
          read: async (tokens) => read.get(tokens) ?? undefined,
        });
      } finally {
        rounds.leave();
      }
    }),
  );
}

/** Rows go in step: when each that still looks for a reply has said what it wants, all are asked for at once. */
function createRounds(rows: number, sample: RerollLoneNegativesOptions['sample']) {
  let active = rows;
  let wanted: { prompt: Prompt; resolve: (reply: Sampled) => void; reject: (error: unknown) => void }[] = [];

  async function answer(round: typeof wanted): Promise<void> {
    let place = 0;
    try {
      for await (const reply of sample(round.map(({ prompt }) => prompt))) round[place++]?.resolve(reply);
      if (place < round.length) throw new Error(`the engine gave ${place} of ${round.length} replies`);
    } catch (error) {
      for (const { reject } of round) reject(error);
    }
  }

  function begin(): void {
    if (wanted.length === 0 || wanted.length < active) return;
    const round = wanted;
    wanted = [];
    // Whoever asked is told of its end, whichever it is.
    void answer(round);
  }

  return {
    ask: (prompt: Prompt): Promise<Sampled> =>
      new Promise((resolve, reject) => {
        wanted.push({ prompt, resolve, reject });
        begin();
      }),
    leave(): void {
      active -= 1;
      begin();
    },
  };
}

const refuse = (message: string): TrainerError => new TrainerError({ kind: 'settings', message });
