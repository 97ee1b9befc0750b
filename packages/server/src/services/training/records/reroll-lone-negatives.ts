import { dataRecordSchema, type ConversationRecord, type DataRecord, type DatasetVersion } from '@lachesis/protocol';
import { ClientError, type ControlClient, type LibraryClient } from '@lachesis/sdk';
import { rerollPreferred, type RerollOptions } from '../dpo/reroll-preferred.ts';
import { TrainerError } from '../trainer-error.ts';
import { isSkipped } from './render-sequence.ts';

type Prompt = Parameters<ControlClient['sampleReplies']>[0]['prompts'][number];
type Sampled = Awaited<ReturnType<ReturnType<ControlClient['sampleReplies']>['next']>>['value'];

export interface RerollLoneNegativesOptions {
  /** Where the rows are and the pairs go: here, or behind a server. */
  readonly library: Pick<LibraryClient, 'importDataset' | 'readDataset' | 'readDatasetRows'>;
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
/** So often a round is asked for whose answer broke off; what was answered is not asked for again. */
const TRIES = 5;

/** Gives disliked replies a better one beside them, and makes a data set of the pairs: sampled once, and then it never changes. */
export async function rerollLoneNegatives(options: RerollLoneNegativesOptions): Promise<RerolledNegatives> {
  const { library, from, name, onProgress = () => undefined } = options;
  const dataset = await library.readDataset(from);
  if (dataset === undefined)
    throw refuse(`There is no data set ${from}. \`lachesis data sets list\` shows what there is.`);
  if (dataset.is_held_out) throw refuse(`The data set ${from} is held out: nothing that is trained on is made of it.`);
  const pairs: DataRecord[] = [];
  const skipped: Record<string, number> = {};
  const skip = (reason: string, count = 1): void => void (skipped[reason] = (skipped[reason] ?? 0) + count);
  // Of this very version, and all before the first is sampled: no download stays open for hours.
  const source = `${dataset.name}@${dataset.version}`;
  const disliked = await listDisliked(library.readDatasetRows(source));
  for (let start = 0; start < disliked.length; start += ROWS_AT_ONCE) {
    options.signal?.throwIfAborted();
    for (const pair of await rerollTogether(disliked.slice(start, start + ROWS_AT_ONCE), options)) {
      if (isSkipped(pair)) skip(pair.skipped);
      // As a server reads it: the order of fields is part of what a version is known by.
      else pairs.push(dataRecordSchema.parse(pair));
    }
    onProgress(`${pairs.length} pairs, ${Object.values(skipped).reduce((sum, count) => sum + count, 0)} without`);
  }
  if (pairs.length === 0) return { dataset: undefined, pairs: 0, skipped };
  const by = options.model ?? 'the base model';
  const made = await library.importDataset(name, { rows: pairs, source: `reroll of ${source} by ${by}`.slice(0, 200) });
  for (const { reason, count } of made.dropped) skip(reason, count);
  return { dataset: made.dataset, pairs: made.dataset.row_count, skipped };
}

async function listDisliked(rows: ReturnType<LibraryClient['readDatasetRows']>): Promise<ConversationRecord[]> {
  const disliked: ConversationRecord[] = [];
  for await (const record of rows) {
    if (record.kind === 'conversation' && (record.rating ?? MIDDLE) < MIDDLE) disliked.push(record);
  }
  return disliked;
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
      for (let tries = 1; place < round.length; tries += 1) {
        try {
          const prompts = round.slice(place).map(({ prompt }) => prompt);
          for await (const reply of sample(prompts)) round[place++]?.resolve(reply);
          if (place < round.length) throw new Error(`the engine gave ${place} of ${round.length} replies`);
        } catch (error) {
          if (!ClientError.isInstance(error) || !error.retryable || tries >= TRIES) throw error;
        }
      }
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
