import { z } from 'zod';

/** Deeper than any setting, and far from what a walk over it could not return from. */
const DEEPEST = 32;
const MOST_PARTS = 10_000;
const MOST_CHARACTERS = 256 * 1024;

/** JSON of a setting, within bounds. Walks without recursion: what is looked for is what recursion would not survive. */
export function findExcess(value: unknown): string | undefined {
  let [parts, characters] = [0, 0];
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    parts += 1;
    if (parts > MOST_PARTS) return `has more than ${MOST_PARTS} parts`;
    if (next.depth > DEEPEST) return `is nested deeper than ${DEEPEST}`;
    if (typeof next.value === 'string') characters += next.value.length;
    if (typeof next.value === 'object' && next.value !== null) {
      for (const [name, each] of Object.entries(next.value)) {
        // Whoever copies it field by field would lose it, and with it that somebody tried.
        if (name === '__proto__') return 'has a field __proto__';
        characters += name.length;
        open.push({ value: each, depth: next.depth + 1 });
        if (open.length > MOST_PARTS) return `has more than ${MOST_PARTS} parts`;
      }
    }
    if (characters > MOST_CHARACTERS) return `is longer than ${MOST_CHARACTERS} characters`;
  }
  return undefined;
}

export const boundedValueSchema = z.unknown().superRefine((value, context) => {
  const excess = findExcess(value);
  if (excess !== undefined) context.addIssue({ code: 'custom', message: excess, input: undefined });
});
