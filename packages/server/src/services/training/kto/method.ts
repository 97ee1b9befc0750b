import type { DataRecord } from '@lachesis/protocol';
import { createKtoLoss, type CustomLoss, type Datum } from '@lachesis/tinker';
import { readReference } from '../dpo/method.ts';
import type { ExampleContext, RecordExample, RecordMethod, SkippedRecord } from '../records/method.ts';
import { isSkipped, renderSequence } from '../records/render-sequence.ts';
import { toDatum, weightsOf, wholeOf } from '../records/to-datum.ts';

type KtoLabel = Parameters<typeof createKtoLoss>[0]['labels'][number];

export interface KtoMethodOptions {
  beta: number;
  desirableWeight: number;
  undesirableWeight: number;
}

/** Kahneman–Tversky optimisation: single replies with a thumb up or down, so that a lone negative counts too. */
export function createKtoMethod(options: KtoMethodOptions): RecordMethod {
  const lossOf = (batch: readonly RecordExample[]): CustomLoss =>
    createKtoLoss({
      ...options,
      labels: batch.flatMap(labelsOf),
      reference: batch.flatMap(readReference),
    });
  return {
    name: 'kto',
    needsReference: true,
    toExample: toLabelled,
    arrange: addMismatched,
    async pass(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const { metrics } = await model.customLoss(datums, lossOf(batch));
      return { metrics: rename(metrics, 'kto', 'rewards') };
    },
    async evaluate(model, batch) {
      const datums = batch.flatMap((example) => example.datums);
      const { logprobs } = await model.forward(datums);
      const { metrics } = lossOf(batch)({ logprobs, datums });
      return { metrics: rename(metrics, 'eval', 'eval'), weight: batch.length };
    },
  };
}

const rename = (metrics: Readonly<Record<string, number>>, own: string, rewards: string): Record<string, number> => ({
  [`${own}/loss`]: metrics['kto_loss']!,
  [`${own}/reference_point`]: metrics['reference_point']!,
  [`${rewards}/desirable`]: metrics['desirable_reward']!,
  [`${rewards}/undesirable`]: metrics['undesirable_reward']!,
});

/** Half of the scale: what is neither good nor bad says nothing. */
const MIDDLE = 0.5;

/** The last reply of a rated conversation, or both halves of a pair. */
async function toLabelled(record: DataRecord, context: ExampleContext): Promise<RecordExample | SkippedRecord> {
  if (record.kind === 'preference') {
    const { prompt, tools } = record;
    const sides: Datum[] = [];
    for (const side of ['chosen', 'rejected'] as const) {
      const datum = await renderSequence({
        messages: [...prompt, ...record[side]],
        tools,
        context,
        trainOn: (message, index) => index >= prompt.length && message.role === 'assistant',
      });
      if (isSkipped(datum)) return datum;
      sides.push(datum);
    }
    return { id: record.id, datums: sides, facts: { labels: 'desirable undesirable' } };
  }
  const { rating } = record;
  if (rating === null) return { skipped: 'nobody rated it' };
  if (rating === MIDDLE) return { skipped: 'its rating is neither good nor bad' };
  const datum = await renderSequence({
    messages: record.messages,
    tools: record.tools,
    trainOn: 'last-assistant',
    context,
  });
  if (isSkipped(datum)) return datum;
  return { id: record.id, datums: [datum], facts: { labels: rating > MIDDLE ? 'desirable' : 'undesirable' } };
}

const labelsOf = ({ facts }: RecordExample): KtoLabel[] => String(facts?.['labels'] ?? '').split(' ') as KtoLabel[];

/**
 * Gives each example a reply of the next one under its own prompt: how far the policy has moved in general is measured by
 * those, and what is the same for all is then not taken for a judgement.
 */
function addMismatched(examples: readonly RecordExample[]): readonly RecordExample[] {
  if (examples.length < 2) return examples;
  return examples.map((example, index) => {
    const other = examples[(index + 1) % examples.length]!;
    const mismatched = joinPromptAndReply(example.datums[0]!, other.datums[0]!);
    return {
      ...example,
      datums: [...example.datums, mismatched],
      facts: { ...example.facts, labels: `${String(example.facts?.['labels'])} mismatched` },
    };
  });
}

function joinPromptAndReply(prompt: Datum, reply: Datum): Datum {
  const promptTokens = wholeOf(prompt).slice(0, firstLearnt(prompt) + 1);
  const replyTokens = wholeOf(reply).slice(firstLearnt(reply) + 1);
  const replyMask = weightsOf(reply).slice(firstLearnt(reply));
  return toDatum({
    tokens: Int32Array.from([...promptTokens, ...replyTokens]),
    mask: [...new Uint8Array(promptTokens.length), ...replyMask],
  });
}

/** The place of the first target that is learnt; the tokens up to there are the prompt. */
const firstLearnt = (datum: Datum): number => weightsOf(datum).findIndex((weight) => weight > 0);
