import type { ChatMessage, DataRecord, ImprovePlan, OfferedTool } from '@lachesis/protocol';
import { parseReply, renderMessages, renderTraining, type Tokenizer } from '@lachesis/sdk/render';
import { createTinkerClient, type SamplingClient, type TinkerService } from '@lachesis/tinker';
import { findTokenizer } from '../models/find-tokenizer.ts';

/** A reply to judge, with what was asked. */
export interface ReplyToScore {
  readonly messages: readonly ChatMessage[];
  readonly reply: ChatMessage;
  readonly signal?: AbortSignal | undefined;
}

/** Whose reply it is, and to which of the rows that are measured on. */
export interface ReplySource {
  readonly row: number;
  readonly model: 'candidate' | 'current';
}

/** From 0 to 1; undefined when it cannot be said, which is no 0. */
export type ScoreReply = (item: ReplyToScore) => Promise<number | undefined>;

export interface MeasuredModel {
  /** `tinker://…`; empty for the base model. */
  readonly weightsPath: string;
  readonly baseModel: string;
}

export interface MeasureOptions {
  readonly tinker: { readonly baseUrl?: string | undefined; readonly apiKey?: string | undefined };
  readonly rows: readonly DataRecord[];
  readonly current: MeasuredModel;
  readonly candidate: MeasuredModel;
  readonly plan: ImprovePlan;
  /** Absent: what counts is how likely each model finds what people preferred. */
  readonly score: ((item: ReplyToScore, source: ReplySource) => Promise<number | undefined>) | undefined;
  readonly signal: AbortSignal;
  say(detail: string): void;
  /** Told what both models reply to the first few rows, for people to read. Absent: nothing is sampled for it. */
  readonly onExample?: ((reply: ChatMessage, source: ReplySource) => void) | undefined;
}

/** So many replies are read; more are a report. */
const EXAMPLES = 3;

export interface MeasuredItem {
  readonly id: string;
  readonly current: number;
  readonly candidate: number;
  /** Of pairs measured by likelihood: the mean logprob of a token of the preferred reply. */
  readonly preferred?: { readonly current: number; readonly candidate: number };
}

export type MeasureModels = (options: MeasureOptions) => Promise<MeasuredItem[]>;

/** Both models on the same held-out rows, the same seeds; items that one of them has no number for compare nothing. */
export const measureModels: MeasureModels = async (options) => {
  const { tinker, rows, candidate, plan, signal, say } = options;
  const place = plan.training['tokenizer'];
  const tokenizer = await findTokenizer(typeof place === 'string' ? place : candidate.baseModel);
  await using service = await createTinkerClient({ ...tinker }).connect({ signal });
  const measure = async (model: 'candidate' | 'current', what: string): Promise<(ItemScore | undefined)[]> => {
    say(`${what}: ${rows.length} held-out items`);
    await using sampler = await openSampler(service, options[model], tokenizer);
    const item = { sampler, tokenizer, plan, signal };
    // Awaited here: the sampler is closed when this function is left.
    const scored = await Promise.all(
      rows.map((row, index) =>
        options.score === undefined
          ? scoreLikelihood(row, item)
          : scoreReplies(row, { ...item, score: options.score, index, model }),
      ),
    );
    const shown = options.onExample === undefined ? [] : rows.slice(0, EXAMPLES);
    for (const [index, row] of shown.entries()) {
      const [reply] = await sampleReplies(row, { ...item, index, samples: 1 });
      if (reply !== undefined) options.onExample?.(reply, { row: index, model });
    }
    return scored;
  };
  const left = await measure('current', 'what is served');
  const right = await measure('candidate', 'the candidate');
  return rows.flatMap(({ id }, index) => {
    const [own, other] = [left[index], right[index]];
    if (own === undefined || other === undefined) return [];
    const preferred =
      own.preferred === undefined || other.preferred === undefined
        ? {}
        : { preferred: { current: own.preferred, candidate: other.preferred } };
    return [{ id, current: own.score, candidate: other.score, ...preferred }];
  });
};

function openSampler(service: TinkerService, model: MeasuredModel, tokenizer: Tokenizer): Promise<SamplingClient> {
  const eosTokens = [...tokenizer.stopTokens];
  return service.createSampler(
    model.weightsPath === ''
      ? { baseModel: model.baseModel, eosTokens }
      : { modelPath: model.weightsPath, eosTokens, isolation: 'auto' },
  );
}

/** What one model has on one item. */
interface ItemScore {
  score: number;
  preferred?: number;
}

interface Item {
  sampler: SamplingClient;
  tokenizer: Tokenizer;
  plan: ImprovePlan;
  signal: AbortSignal;
}

/** What was asked in a row, before the first reply. */
export function promptOf(row: DataRecord): ChatMessage[] {
  if (row.kind === 'preference') return row.prompt;
  const end = row.messages.findIndex(({ role }) => role === 'assistant');
  return end < 0 ? row.messages : row.messages.slice(0, end);
}

const toolsOf = ({ tools }: DataRecord): { tools?: readonly OfferedTool[] } => (tools === null ? {} : { tools });

async function scoreReplies(
  row: DataRecord,
  item: Item & { score: NonNullable<MeasureOptions['score']>; index: number; model: ReplySource['model'] },
): Promise<ItemScore | undefined> {
  const { plan, signal, score, index, model } = item;
  const messages = promptOf(row);
  const scores: number[] = [];
  for (const reply of await sampleReplies(row, { ...item, samples: plan.replies })) {
    const value = await score({ messages, reply, signal }, { row: index, model });
    if (value !== undefined) scores.push(value);
  }
  if (scores.length === 0) return undefined;
  return { score: scores.reduce((sum, one) => sum + one, 0) / scores.length };
}

/** What a model replies to a row, by the seeds of the plan. */
async function sampleReplies(
  row: DataRecord,
  { sampler, tokenizer, plan, signal, index, samples }: Item & { index: number; samples: number },
): Promise<ChatMessage[]> {
  const messages = promptOf(row);
  const { tokens } = await renderMessages({ tokenizer, messages, ...toolsOf(row), addGenerationPrompt: true });
  const { sequences } = await sampler.sample({
    prompt: tokens,
    samples,
    params: { maxTokens: plan.max_reply_tokens, temperature: plan.temperature, seed: plan.seed * 10_007 + index },
    signal,
  });
  const replies = sequences.map(({ tokens: sampled }) => parseReply({ tokenizer, tokens: sampled, ...toolsOf(row) }));
  return (await Promise.all(replies)).map(({ message }) => message);
}

/** A pair: 1 when the preferred reply is the likelier one. A reply: its mean logprob, turned round when it was rated badly. */
async function scoreLikelihood(row: DataRecord, item: Item): Promise<ItemScore | undefined> {
  if (row.kind === 'preference') {
    const [chosen, rejected] = await Promise.all([
      sumLogprobs(row.prompt, row.chosen, row, item),
      sumLogprobs(row.prompt, row.rejected, row, item),
    ]);
    if (chosen.tokens === 0) return undefined;
    const preferred = chosen.sum / chosen.tokens;
    if (chosen.sum === rejected.sum) return { score: 0.5, preferred };
    return { score: chosen.sum > rejected.sum ? 1 : 0, preferred };
  }
  const prompt = promptOf(row);
  const { sum, tokens } = await sumLogprobs(prompt, row.messages.slice(prompt.length), row, item);
  if (tokens === 0) return undefined;
  return { score: (sum / tokens) * (row.rating !== null && row.rating < 0.5 ? -1 : 1) };
}

async function sumLogprobs(
  prompt: readonly ChatMessage[],
  reply: readonly ChatMessage[],
  row: DataRecord,
  { sampler, tokenizer, signal }: Item,
): Promise<{ sum: number; tokens: number }> {
  const { tokens, mask } = await renderTraining({
    tokenizer,
    messages: [...prompt, ...reply],
    ...toolsOf(row),
    trainOn: (message, index) => index >= prompt.length && message.role === 'assistant',
  });
  const logprobs = await sampler.computeLogprobs(tokens, { signal });
  let [sum, counted] = [0, 0];
  for (let at = 1; at < tokens.length; at += 1) {
    if ((mask[at] ?? 0) === 0) continue;
    sum += logprobs[at] ?? Number.NaN;
    counted += 1;
  }
  return { sum, tokens: counted };
}
