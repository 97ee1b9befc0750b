import type { CallRecord } from '@lachesis/protocol';
import { asNumber, asObject, asText, isObject } from '../openai/json-shapes.ts';

/** Counts are numbers in older specifications and tables in the newest. */
export function readModelUsage(value: unknown): CallRecord['usage'] {
  const { inputTokens, outputTokens, totalTokens } = asObject(value);
  const count = (tokens: unknown): number | undefined => asNumber(isObject(tokens) ? tokens['total'] : tokens);
  const [prompt, completion] = [count(inputTokens), count(outputTokens)];
  if (prompt === undefined && completion === undefined) return null;
  const total = asNumber(totalTokens) ?? (prompt ?? 0) + (completion ?? 0);
  return { prompt_tokens: prompt ?? 0, completion_tokens: completion ?? 0, total_tokens: total };
}

/** OpenAI's words: `tool-calls` is `tool_calls` there. */
export function readFinishReason(value: unknown): string | null {
  const reason = asText(isObject(value) ? value['unified'] : value);
  return reason?.replaceAll('-', '_') ?? null;
}
