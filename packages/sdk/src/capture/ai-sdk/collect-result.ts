import { isRecord } from '@lachesis/protocol';
import { collectReply } from '../calls/collect-reply.ts';
import type { CollectedReply } from '../calls/collected-reply.ts';
import { asObject, asText } from '../calls/json-shapes.ts';
import type { GenerateResult } from './shapes.ts';
import { toAssistantMessage } from './to-chat-messages.ts';

/** A result of a model, said in OpenAI's words and read as any reply is. */
export function collectResult({ content, finishReason, usage, response }: GenerateResult): CollectedReply {
  return collectReply('chat', {
    id: response?.id,
    model: response?.modelId,
    choices: [{ message: toAssistantMessage(content.map(asObject)), finish_reason: readFinishReason(finishReason) }],
    usage,
  });
}

const OPENAI_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

/**
 * What the model said, where that is one of OpenAI's words: the SDK makes `content-filter` of a `stop` with a refusal. Else
 * the SDK's word for it, written as OpenAI does: `tool-calls` is `tool_calls` there.
 */
function readFinishReason(value: unknown): string | null {
  if (!isRecord(value)) return asText(value)?.replaceAll('-', '_') ?? null;
  const [raw, unified] = [asText(value['raw']), asText(value['unified'])];
  if (raw !== undefined && (OPENAI_REASONS.has(raw) || unified === 'other')) return raw;
  return unified?.replaceAll('-', '_') ?? null;
}
