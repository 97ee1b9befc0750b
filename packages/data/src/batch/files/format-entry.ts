import { type ConversationRecord, makeConversation } from '@lachesis/protocol';
import type { WorkItem } from '@lachesis/store';
import { formatPythonJson } from '@lachesis/sdk/render';
import { countTools } from '../../export/sharegpt/count-tools.ts';
import { toShareGpt } from '../../export/sharegpt/to-sharegpt.ts';
import { readShareGpt } from '../../import/sharegpt/read-sharegpt.ts';
import { type BatchResult, batchResultSchema } from '../batch-agent.ts';

export interface EndedItem extends Pick<WorkItem, 'attempt' | 'cost' | 'index' | 'reason'> {
  result: BatchResult;
}

export function toEndedItem({ index, attempt, cost, reason, result }: WorkItem): EndedItem {
  return { index, attempt, cost, reason, result: batchResultSchema.parse(result) };
}

/** One line of `batch_<n>.jsonl` and `trajectories.jsonl`, without its end. */
export function formatEntry({ index, attempt, cost, result }: EndedItem, batchSize: number): string {
  if ('line' in result) return result.line;
  const conversation = { messages: result.messages, tools: result.tools };
  const counts = countTools(conversation);
  return formatPythonJson(
    new Map<string, unknown>([
      ['prompt_index', index],
      ['conversations', toShareGpt(conversation)],
      [
        'metadata',
        {
          ...{ batch_num: Math.floor(index / batchSize), timestamp: result.timestamp, model: result.model },
          // What Hermes has not; its readers pass over it.
          ...{ attempt, reason: result.reason, usage: result.usage, cost: result.cost === null ? null : cost },
          ...(result.missing_toolsets === undefined ? {} : { missing_toolsets: result.missing_toolsets }),
          ...(result.rebuilt_differently === undefined ? {} : { rebuilt_differently: result.rebuilt_differently }),
        },
      ],
      ['completed', result.completed],
      ['partial', result.partial],
      ['api_calls', result.api_calls],
      ['toolsets_used', result.toolsets_used],
      ['tool_stats', counts],
      ['tool_error_counts', new Map(Array.from(counts, ([name, { failure }]) => [name, failure]))],
    ]),
  );
}

/** The same as a data record, for Parquet. */
export async function toBatchRecord({ index, result }: EndedItem): Promise<ConversationRecord | undefined> {
  const id = `prompt-${index}`;
  if ('line' in result) {
    for await (const read of readShareGpt(result.line)) if ('record' in read) return { ...read.record, id };
    return undefined;
  }
  const { messages, tools, model, timestamp, completed, partial, missing_toolsets: missing } = result;
  const extra = missing === undefined ? {} : { missing_toolsets: missing };
  return makeConversation({ id, messages, tools, model, timestamp, completed, partial, extra });
}
