import type { CallRecord } from '@lachesis/protocol';
import { asNumber, asObject, isObject } from './json-shapes.ts';

/** What the call used, under the names of either API. */
export function readUsage(value: unknown): CallRecord['usage'] {
  if (!isObject(value)) return null;
  const prompt = asNumber(value['prompt_tokens']) ?? asNumber(value['input_tokens']);
  const completion = asNumber(value['completion_tokens']) ?? asNumber(value['output_tokens']);
  if (prompt === undefined && completion === undefined) return null;
  const [promptTokens, completionTokens] = [Math.round(prompt ?? 0), Math.round(completion ?? 0)];
  const total = Math.round(asNumber(value['total_tokens']) ?? promptTokens + completionTokens);
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total };
}

/** US dollars, where the upstream says it: OpenRouter puts it beside the counts. */
export const readCost = (usage: unknown): number | null => asNumber(asObject(usage)['cost']) ?? null;
