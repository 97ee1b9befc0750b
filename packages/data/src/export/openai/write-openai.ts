import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { type Loss, type LossCounter, createLossCounter } from '../../records/loss.ts';
import { countPreferenceLosses } from '../count-preference-losses.ts';
import { countRecordLosses } from '../count-record-losses.ts';
import { toFineTuningMessage } from './to-fine-tuning-message.ts';

export interface WriteOpenAiOptions {
  /** `messages`: each message as it is (the default). `fine-tuning`: the fields that OpenAI's fine-tuning takes, and no others. */
  readonly shape?: 'messages' | 'fine-tuning';
  readonly losses?: LossCounter;
}

/** Lines of `messages` and `tools`; a pair is `input`, `preferred_output` and `non_preferred_output`. Ends with what was dropped. */
export async function* writeOpenAi(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
  { shape = 'messages', losses = createLossCounter() }: WriteOpenAiOptions = {},
): AsyncGenerator<string, Loss[]> {
  const convert = (messages: readonly ChatMessage[], isTrained: boolean): unknown[] =>
    shape === 'messages'
      ? [...messages]
      : messages.map((message) => toFineTuningMessage(message, { losses, isTrained }));
  for await (const record of records) {
    if (record.tools?.length === 0) losses.add('tools', 'an empty list is not told from none');
    const tools = record.tools === null || record.tools.length === 0 ? {} : { tools: record.tools };
    if (record.kind === 'preference') {
      countPreferenceLosses(record, losses);
      const row = {
        input: { messages: convert(record.prompt, true), ...tools, parallel_tool_calls: true },
        preferred_output: convert(record.chosen, true),
        non_preferred_output: convert(record.rejected, true),
      };
      yield `${JSON.stringify(row)}\n`;
    } else {
      const isTrained = record.weight > 0;
      // A weight of 0 stands beside each reply; where there is none it has no place.
      const hasWeight =
        shape === 'fine-tuning' && !isTrained && record.messages.some(({ role }) => role === 'assistant');
      countRecordLosses(record, hasWeight ? ['messages', 'tools', 'weight'] : ['messages', 'tools'], losses);
      yield `${JSON.stringify({ messages: convert(record.messages, isTrained), ...tools })}\n`;
    }
  }
  return losses.list();
}
