import type { ConversationRecord, DataRecord } from '@lachesis/protocol';
import type { CustomLoss, Datum } from '@lachesis/tinker';
import type { RecordExample, RecordMethod, SkippedRecord } from '../records/method.ts';
import { checkDatum, isSkipped, renderSequence } from '../records/render-sequence.ts';
import { countLearnt, toDatum, weightsOf } from '../records/to-datum.ts';
import { packExamples } from './pack-examples.ts';

export interface SftOptions {
  trainOn: 'all-assistant' | 'last-assistant';
  /** Takes the tokens that were recorded instead of rendering the messages again; rows without them are skipped. */
  useRecordedTokens: boolean;
  /** Several conversations in one sequence, up to so many tokens; undefined for one each. */
  packTokens: number | undefined;
}

/** Supervised training: the replies of conversations, token by token. */
export function createSftMethod(options: SftOptions): RecordMethod {
  const { packTokens } = options;
  return {
    name: 'sft',
    needsReference: false,
    async toExample(record, context) {
      const datum = await toSequence(record, options, context);
      if (isSkipped(datum)) return datum;
      return { id: record.id, datums: [datum], facts: { weight: record.weight } };
    },
    ...(packTokens === undefined ? {} : { arrange: (examples) => packExamples(examples, packTokens) }),
    async pass(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const isWeighed = batch.some(({ facts }) => (facts?.['weight'] ?? 1) !== 1);
      // Servers that divide by the weights of a sequence would undo those of a row; this way they cannot.
      const { logprobs } = isWeighed
        ? await model.customLoss(datums, createWeighedLoss(batch))
        : await model.forwardBackward(toMean(datums), { loss: 'cross_entropy' });
      const { nll, tokens } = sumNll(datums, logprobs);
      return { metrics: { 'train/mean_nll': nll / tokens, 'train/trained_tokens': tokens } };
    },
    async evaluate(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const { logprobs } = await model.forward(datums);
      const { nll, tokens } = sumNll(datums, logprobs);
      return { metrics: { 'eval/mean_nll': nll / tokens }, weight: tokens };
    },
  };
}

async function toSequence(
  record: DataRecord,
  { trainOn, useRecordedTokens }: SftOptions,
  context: Parameters<RecordMethod['toExample']>[1],
): Promise<Datum | SkippedRecord> {
  if (record.weight <= 0) return { skipped: 'its weight is 0' };
  // Of a pair the better half is a conversation like any other.
  if (record.kind === 'preference') {
    const { prompt, chosen, tools } = record;
    const first = prompt.length;
    return renderSequence({
      messages: [...prompt, ...chosen],
      tools,
      context,
      trainOn: (message, index) => index >= first && message.role === 'assistant',
    });
  }
  if (useRecordedTokens) return readTokens(record, context.maxTokens);
  const { messages, tools } = record;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return renderSequence({
    messages,
    tools,
    context,
    // A data set may say of single replies that they are read and not learnt.
    trainOn: (message, index) =>
      message.role === 'assistant' && message['weight'] !== 0 && (trainOn === 'all-assistant' || index === last),
  });
}

function readTokens({ tokens }: ConversationRecord, maxTokens: number): Datum | SkippedRecord {
  if (tokens === null) return { skipped: 'its tokens were not recorded' };
  return checkDatum(toDatum({ tokens: Int32Array.from(tokens.token_ids), mask: tokens.mask }), maxTokens);
}

/** Weights that add up to 1: where a server adds up, the step is then one along the mean, as where it divides. */
function toMean(datums: readonly Datum[]): Datum[] {
  const tokens = datums.reduce((sum, datum) => sum + countLearnt(datum), 0);
  return datums.map((datum) => {
    const weights = weightsOf(datum).map((weight) => weight / tokens);
    return { ...datum, inputs: { ...datum.inputs, weights } };
  });
}

/** The mean over tokens, each by the weight of its row. */
function createWeighedLoss(batch: readonly RecordExample[]): CustomLoss {
  const rowWeights = batch.flatMap(({ datums, facts }) => datums.map(() => Number(facts?.['weight'] ?? 1)));
  return ({ logprobs, datums }) => {
    const weights = datums.map((datum, index) =>
      Float64Array.from(weightsOf(datum), (own) => own * rowWeights[index]!),
    );
    const total = weights.reduce((sum, own) => sum + own.reduce((a, b) => a + b, 0), 0);
    let loss = 0;
    const gradients = weights.map((own, index) =>
      own.map((weight, at) => {
        loss -= (weight * (logprobs[index]![at] ?? 0)) / total;
        return -weight / total;
      }),
    );
    return { loss, gradients, metrics: {} };
  };
}

function sumNll(datums: readonly Datum[], logprobs: readonly ArrayLike<number>[]): { nll: number; tokens: number } {
  let nll = 0;
  let tokens = 0;
  for (const [index, datum] of datums.entries()) {
    const own = logprobs[index]!;
    for (const [at, weight] of weightsOf(datum).entries()) {
      if (weight === 0) continue;
      nll -= weight * own[at]!;
      tokens += weight;
    }
  }
  return { nll, tokens };
}
