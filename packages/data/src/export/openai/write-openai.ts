import type { DataRecord, ChatMessage } from '@lachesis/protocol';
import { type DroppedField, type DropReport, createDropReport } from '../../records/drop-report.ts';
import { countPreferenceDrops } from '../count-preference-drops.ts';
import { countRecordDrops } from '../count-record-drops.ts';
import { toFineTuningMessage } from './to-fine-tuning-message.ts';

export interface WriteOpenAiOptions {
  /** `messages`: each message as it is (the default). `fine-tuning`: the fields that OpenAI's fine-tuning takes, and no others. */
  readonly shape?: 'messages' | 'fine-tuning';
  readonly drops?: DropReport;
}

/** Lines of `messages` and `tools`; a pair is `input`, `preferred_output` and `non_preferred_output`. Ends with what was dropped. */
export async function* writeOpenAi(
  records: AsyncIterable<DataRecord> | Iterable<DataRecord>,
  { shape = 'messages', drops = createDropReport() }: WriteOpenAiOptions = {},
): AsyncGenerator<string, DroppedField[]> {
  const convert = (messages: readonly ChatMessage[], isTrained: boolean): unknown[] =>
    shape === 'messages'
      ? [...messages]
      : messages.map((message) => toFineTuningMessage(message, { drops, isTrained }));
  for await (const record of records) {
    if (record.tools?.length === 0) drops.add('tools', 'an empty list is not told from none');
    const tools = record.tools === null || record.tools.length === 0 ? {} : { tools: record.tools };
    if (record.kind === 'preference') {
      countPreferenceDrops(record, drops);
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
      countRecordDrops(record, hasWeight ? ['messages', 'tools', 'weight'] : ['messages', 'tools'], drops);
      yield `${JSON.stringify({ messages: convert(record.messages, isTrained), ...tools })}\n`;
    }
  }
  return drops.list();
}
