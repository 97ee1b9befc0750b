import { z } from 'zod';
import { findJson } from '../find-json.ts';

export interface Scale {
  readonly min: number;
  readonly max: number;
}

export type JudgeVerdict =
  | { readonly kind: 'score'; readonly score: number; readonly reason: string }
  | { readonly kind: 'abstention'; readonly reason: string }
  | { readonly kind: 'unusable'; readonly reason: string };

const verdictSchema = z.object({
  reason: z.string().default(''),
  score: z.number().nullish(),
  abstain: z.boolean().default(false),
});

/** What the judge is held to. The reason comes first, so that the score is written after it was thought about. */
export const createVerdictSchema = ({ min, max }: Scale): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: {
    reason: { type: 'string' },
    abstain: { type: 'boolean' },
    score: { anyOf: [{ type: 'number', minimum: min, maximum: max }, { type: 'null' }] },
  },
  required: ['reason', 'abstain', 'score'],
  additionalProperties: false,
});

/** A score outside the scale is no score: clamping it would make a confused judge a generous one. */
export function readVerdict(text: string, { min, max }: Scale): JudgeVerdict {
  const found = findJson(text, { allowText: true });
  if (found === undefined) return { kind: 'unusable', reason: 'it is not JSON' };
  const { data, error } = verdictSchema.safeParse(found.value);
  if (data === undefined) return { kind: 'unusable', reason: error.issues[0]?.message ?? 'it has another shape' };
  if (data.abstain) return { kind: 'abstention', reason: data.reason };
  if (data.score === undefined || data.score === null) return { kind: 'unusable', reason: 'it has no score' };
  if (data.score < min || data.score > max)
    return { kind: 'unusable', reason: `its score ${data.score} is not from ${min} to ${max}` };
  return { kind: 'score', score: data.score, reason: data.reason };
}
