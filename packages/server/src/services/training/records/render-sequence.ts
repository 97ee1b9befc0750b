import type { OfferedTool, ChatMessage } from '@lachesis/protocol';
import { RenderError, renderTraining } from '@lachesis/sdk/render';
import type { Datum } from '@lachesis/tinker';
import type { ExampleContext, SkippedRecord } from './method.ts';
import { countLearnt, toDatum } from './to-datum.ts';

type TrainOn = Parameters<typeof renderTraining>[0]['trainOn'];

export interface RenderSequenceOptions {
  messages: readonly ChatMessage[];
  tools: readonly OfferedTool[] | null;
  trainOn: TrainOn;
  context: ExampleContext;
}

/** A conversation as a datum, by the model's own template. What the template cannot do exactly is skipped with the reason. */
export async function renderSequence(options: RenderSequenceOptions): Promise<Datum | SkippedRecord> {
  const { messages, tools, trainOn, context } = options;
  const { tokenizer, maxTokens } = context;
  try {
    const { tokens, mask } = await renderTraining({
      tokenizer,
      messages,
      ...(tools === null ? {} : { tools }),
      trainOn,
    });
    return checkDatum(toDatum({ tokens, mask }), maxTokens);
  } catch (error) {
    if (!RenderError.isInstance(error)) throw error;
    return { skipped: `the template of the model refuses it (${error.kind})` };
  }
}

/** Whether there is something to learn in it and it fits. */
export function checkDatum(datum: Datum, maxTokens: number): Datum | SkippedRecord {
  if (datum.tokens.length + 1 > maxTokens) return { skipped: `it is longer than max_tokens (${maxTokens})` };
  if (countLearnt(datum) === 0) return { skipped: 'it holds no reply to learn from' };
  return datum;
}

export const isSkipped = (value: object): value is SkippedRecord => 'skipped' in value;
