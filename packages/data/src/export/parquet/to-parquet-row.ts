import type { ConversationRecord, DataRecord, PreferenceRecord, ChatMessage } from '@lachesis/protocol';
import { isSaidByStruct, toMessageStruct } from './message-struct.ts';

/** One row by the names of the columns. */
export type ParquetRow = Record<string, unknown>;

export function toParquetRow(record: DataRecord): ParquetRow {
  return record.kind === 'conversation' ? toConversationRow(record) : toPreferenceRow(record);
}

function toConversationRow(record: ConversationRecord): ParquetRow {
  const { messages, tokens } = record;
  return {
    ...toSharedColumns(record),
    messages: messages.map(toMessageStruct),
    model: record.model,
    timestamp: record.timestamp,
    completed: record.completed,
    partial: record.partial,
    reward: record.reward,
    rating: record.rating,
    token_ids: tokens?.token_ids ?? null,
    mask: tokens?.mask ?? null,
    logprobs: tokens?.logprobs ?? null,
    exact: messages.every(isSaidByStruct) ? null : JSON.stringify({ messages }),
  };
}

function toPreferenceRow(record: PreferenceRecord): ParquetRow {
  const { prompt, chosen, rejected } = record;
  const isExact = [prompt, chosen, rejected].every((messages: ChatMessage[]) => messages.every(isSaidByStruct));
  return {
    ...toSharedColumns(record),
    prompt: prompt.map(toMessageStruct),
    chosen: chosen.map(toMessageStruct),
    rejected: rejected.map(toMessageStruct),
    feedback_ids: record.feedback_ids,
    exact: isExact ? null : JSON.stringify({ prompt, chosen, rejected }),
  };
}

function toSharedColumns(record: DataRecord): ParquetRow {
  return {
    id: record.id,
    // As text: as structs, every tool would get the parameters of every other one, all of them null.
    tools: record.tools === null ? null : JSON.stringify(record.tools),
    tags: record.tags,
    split: record.split,
    weight: record.weight,
    consent: record.consent,
    trajectory_id: record.trajectory_id,
    extra: JSON.stringify(record.extra),
  };
}
