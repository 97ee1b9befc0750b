import { recordTokensSchema, type DataRecord, type PreferenceRecord } from '@lachesis/protocol';
import type { Datum } from '@lachesis/tinker';
import { z } from 'zod';
import type { ExampleContext, RecordExample, SkippedRecord } from '../records/method.ts';
import { checkDatum, isSkipped, renderSequence } from '../records/render-sequence.ts';
import { toDatum } from '../records/to-datum.ts';

/** Where a pair keeps what was sampled, token by token. A re-rolled reply has it: text would not give the same tokens. */
const pairTokensSchema = z.object({
  lachesis: z.object({ tokens: z.object({ chosen: recordTokensSchema, rejected: recordTokensSchema }) }),
});

/** A pair as two sequences that begin alike, the chosen one first. Only what stands behind the prompt is learnt. */
export async function toPairExample(
  record: DataRecord,
  context: ExampleContext,
): Promise<RecordExample | SkippedRecord> {
  if (record.kind !== 'preference') return { skipped: 'it is a conversation and no pair' };
  if (record.weight <= 0) return { skipped: 'its weight is 0' };
  const sides: Datum[] = [];
  for (const side of ['chosen', 'rejected'] as const) {
    const datum = await toSide(record, side, context);
    if (isSkipped(datum)) return { skipped: datum.skipped };
    sides.push(datum);
  }
  return { id: record.id, datums: sides };
}

async function toSide(
  record: PreferenceRecord,
  side: 'chosen' | 'rejected',
  context: ExampleContext,
): Promise<Datum | SkippedRecord> {
  const kept = pairTokensSchema.safeParse(record.extra);
  if (kept.success) {
    const { token_ids: tokens, mask } = kept.data.lachesis.tokens[side];
    return checkDatum(toDatum({ tokens: Int32Array.from(tokens), mask }), context.maxTokens);
  }
  const { prompt, tools } = record;
  return renderSequence({
    messages: [...prompt, ...record[side]],
    tools,
    context,
    trainOn: (message, index) => index >= prompt.length && message.role === 'assistant',
  });
}
