import { fieldBoundsSchema, type FieldBounds } from '@lachesis/protocol';
import { z } from 'zod';

/** The words of JSON Schema and ours; the first that is there counts. */
const NAMES = Object.freeze([
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['exclusiveMinimum', 'exclusive_minimum'],
  ['exclusiveMaximum', 'exclusive_maximum'],
  ['multipleOf', 'multiple_of'],
  ['minLength', 'min_length'],
  ['minItems', 'min_length'],
  ['maxLength', 'max_length'],
  ['maxItems', 'max_length'],
  ['pattern', 'pattern'],
] as const);

/** What a schema asks of a value besides its type; undefined where that is nothing, or nothing that can be told. */
export function readBounds(schema: z.ZodType): FieldBounds | undefined {
  const told = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
  const found = NAMES.flatMap(([name, own]) => {
    const value = told[name];
    // A whole number of zod ends where doubles are no longer exact: nobody asked for that.
    return value === undefined || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? [] : [[own, value] as const];
  });
  const choices = listChoices(told);
  if (choices !== undefined) found.push(['choices' as never, choices]);
  return found.length === 0 ? undefined : fieldBoundsSchema.safeParse(Object.fromEntries(found)).data;
}

/** Literals side by side are a choice; an enum has its choices as its type. */
function listChoices({ const: only, anyOf }: Record<string, unknown>): unknown[] | undefined {
  if (only !== undefined) return [only];
  if (!Array.isArray(anyOf)) return undefined;
  const values = anyOf.map((each) => (each as Record<string, unknown>)['const']);
  return values.includes(undefined) ? undefined : values;
}
