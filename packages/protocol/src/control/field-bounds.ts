import { z } from 'zod';

/** What a value of a field must hold besides its type, in the words of JSON Schema. Lengths are those of texts and of lists. */
export const fieldBoundsSchema = z.looseObject({
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusive_minimum: z.number().optional(),
  exclusive_maximum: z.number().optional(),
  multiple_of: z.number().positive().optional(),
  min_length: z.int().min(0).optional(),
  max_length: z.int().min(0).optional(),
  /** A regular expression. */
  pattern: z.string().max(1_000).optional(),
  /** The values there are, where it is a choice and no name of a type says so. */
  choices: z.array(z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export type FieldBounds = z.infer<typeof fieldBoundsSchema>;

/** What a value must be and is not, such as `at most 4`; undefined for one that holds all bounds. */
export function findBrokenBound(bounds: FieldBounds, value: unknown): string | undefined {
  const { choices } = bounds;
  if (choices !== undefined && !choices.some((choice) => choice === value)) return `one of ${choices.join(', ')}`;
  if (typeof value === 'number') return findBrokenNumber(bounds, value);
  const length = typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
  if (length !== undefined) {
    const parts = typeof value === 'string' ? 'characters' : 'entries';
    const { min_length: least, max_length: most } = bounds;
    if (least !== undefined && length < least) return `at least ${least} ${parts}`;
    if (most !== undefined && length > most) return `at most ${most} ${parts}`;
  }
  const pattern = bounds.pattern === undefined ? undefined : readPattern(bounds.pattern);
  return typeof value === 'string' && pattern?.test(value) === false ? `a text that fits ${bounds.pattern}` : undefined;
}

function findBrokenNumber(bounds: FieldBounds, value: number): string | undefined {
  const { minimum, maximum, exclusive_minimum: above, exclusive_maximum: below, multiple_of: multiple } = bounds;
  if (minimum !== undefined && value < minimum) return `at least ${minimum}`;
  if (maximum !== undefined && value > maximum) return `at most ${maximum}`;
  if (above !== undefined && value <= above) return `greater than ${above}`;
  if (below !== undefined && value >= below) return `less than ${below}`;
  // 0.3 is a multiple of 0.1, though not to the last bit.
  const parts = multiple === undefined ? 0 : value / multiple;
  if (Math.abs(parts - Math.round(parts)) > 1e-9) return `a multiple of ${multiple}`;
  return undefined;
}

/** One of another language that ours does not read is left to whoever wrote it. */
function readPattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}
