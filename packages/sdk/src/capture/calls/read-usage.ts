import { isRecord } from '@lachesis/protocol';
import { asCount, asNumber, asObject, type JsonFields } from './json-shapes.ts';
import type { CollectedReply } from './collected-reply.ts';

type Usage = NonNullable<CollectedReply['usage']>;

/** The names a count goes by: OpenAI's two APIs, and two generations of the AI SDK. */
const PROMPT = ['prompt_tokens', 'input_tokens', 'inputTokens', 'promptTokens'];
const COMPLETION = ['completion_tokens', 'output_tokens', 'outputTokens', 'completionTokens'];
const TOTAL = ['total_tokens', 'totalTokens'];

/** What a call used, in whichever form it is said; undefined where it is not. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const [prompt, completion, total] = [findCount(value, PROMPT), findCount(value, COMPLETION), findCount(value, TOTAL)];
  // A provider of the AI SDK that does not know the names of its server says 0, and gives beside it what was sent.
  const raw = (prompt ?? 0) + (completion ?? 0) === 0 ? readUsage(value['raw']) : undefined;
  if (raw !== undefined) return raw;
  if (prompt === undefined && completion === undefined) return undefined;
  const promptTokens = prompt ?? Math.max(0, (total ?? 0) - (completion ?? 0));
  const completionTokens = completion ?? Math.max(0, (total ?? 0) - promptTokens);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: total ?? promptTokens + completionTokens,
  };
}

/**
 * Where the usage of a reply, or of a piece of one, stands: beside its choices; in a field of Groq's own; or, as Moonshot
 * streams it, in a choice.
 */
export function findUsage(body: JsonFields): unknown {
  const { usage, x_groq: groq, choices } = body;
  if (isRecord(usage)) return usage;
  if (isRecord(groq) && isRecord(groq['usage'])) return groq['usage'];
  return Array.isArray(choices) ? asObject(choices[0])['usage'] : undefined;
}

/** US dollars, where the upstream says it: OpenRouter puts it beside the counts. */
export const readCost = (usage: unknown): number | undefined => asNumber(asObject(usage)['cost']);

function findCount(usage: JsonFields, names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = usage[name];
    // The newest specification of the AI SDK has a table for each count.
    const count = asCount(isRecord(value) ? value['total'] : value);
    if (count !== undefined) return count;
  }
  return undefined;
}
