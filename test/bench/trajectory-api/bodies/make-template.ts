import { createRandom } from './random.ts';

export interface TemplateShape {
  readonly sequences: number;
  readonly tokens: number;
}

/** Ids up to a common vocabulary; cubing puts most of them low, as text does. */
const VOCABULARY = 151_000;

/**
 * The JSON of one scored group from its `tokens` on, written as Python's `json.dumps` writes it (", " and ": "), with a
 * quarter of each sequence as prompt: mask -100 and logprob 1.0 there, the token and a small negative logprob after it.
 */
export function makeTemplate(shape: TemplateShape, seed: number): string {
  const random = createRandom(seed);
  const promptTokens = Math.floor(shape.tokens / 4);
  const tokens: string[] = [];
  const masks: string[] = [];
  const logprobs: string[] = [];
  const scores: string[] = [];
  for (let sequence = 0; sequence < shape.sequences; sequence += 1) {
    const tokenRow: number[] = [];
    const maskRow: number[] = [];
    const logprobRow: string[] = [];
    for (let position = 0; position < shape.tokens; position += 1) {
      const token = Math.floor(random() ** 3 * VOCABULARY);
      const isPrompt = position < promptTokens;
      tokenRow.push(token);
      maskRow.push(isPrompt ? -100 : token);
      logprobRow.push(isPrompt ? '1.0' : String(-(random() ** 4) * 8 - 1e-7));
    }
    tokens.push(joinList(tokenRow));
    masks.push(joinList(maskRow));
    logprobs.push(joinList(logprobRow));
    scores.push(`${sequence % 2}.0`);
  }
  const fields: readonly (readonly [string, string])[] = [
    ['tokens', joinList(tokens)],
    ['masks', joinList(masks)],
    ['scores', joinList(scores)],
    ['advantages', 'null'],
    ['ref_logprobs', 'null'],
    ['messages', 'null'],
    ['overrides', 'null'],
    ['images', 'null'],
    ['distill_token_ids', 'null'],
    ['distill_logprobs', 'null'],
    ['inference_logprobs', joinList(logprobs)],
  ];
  return `${fields.map(([key, value]) => `"${key}": ${value}`).join(', ')}}`;
}

function joinList(items: readonly (string | number)[]): string {
  return `[${items.join(', ')}]`;
}
