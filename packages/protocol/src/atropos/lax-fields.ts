import { z } from 'zod';

/*
 * Fields as pydantic 2 reads them in its lax mode, from values that JSON.parse made: "8", true and 1.0 are the integers
 * 8, 1 and 1; strings are never made from numbers. Issues carry pydantic's type in `params`, see `toPydanticDetail`.
 */

/** Longer number texts are refused unread: nothing a small body needs has so many digits. */
const MAX_NUMBER_TEXT = 400;

/** pydantic's names and sentences for what can be wrong with a field. */
const FAULTS = {
  missing: 'Field required',
  string_type: 'Input should be a valid string',
  int_type: 'Input should be a valid integer',
  int_parsing: 'Input should be a valid integer, unable to parse string as an integer',
  int_parsing_size: 'Unable to parse input string as an integer, exceeded maximum size',
  int_from_float: 'Input should be a valid integer, got a number with a fractional part',
  float_type: 'Input should be a valid number',
  float_parsing: 'Input should be a valid number, unable to parse string as a number',
  finite_number: 'Input should be a finite number',
} as const;

type Fault = keyof typeof FAULTS;
type Reading<T> = { value: T } | { fault: Fault };

/** Python's integers have no end; ours do, so an integer beyond 2^53 is refused rather than rounded. */
export const laxIntSchema = laxField(readInt);

/** A double. NaN and the infinities are refused: one such weight would break every environment's status. */
export const laxFloatSchema = laxField(readFloat);

export const laxStringSchema = laxField<string>((value) =>
  typeof value === 'string' ? { value } : { fault: 'string_type' },
);

function laxField<T>(read: (value: unknown) => Reading<T>) {
  return z.unknown().transform((value, context): T => {
    const reading: Reading<T> = value === undefined ? { fault: 'missing' } : read(value);
    if ('value' in reading) return reading.value;
    context.addIssue({ code: 'custom', message: FAULTS[reading.fault], params: { type: reading.fault } });
    return z.NEVER;
  });
}

function readInt(value: unknown): Reading<number> {
  if (typeof value === 'boolean') return { value: Number(value) };
  if (typeof value === 'string') {
    const text = trimWhiteSpace(value);
    if (text === null) return { fault: 'int_parsing_size' };
    if (!/^[+-]?\d+(?:_\d+)*(?:\.0+)?$/.test(text)) return { fault: 'int_parsing' };
    return readInt(Number(text.replaceAll('_', '')));
  }
  if (typeof value !== 'number') return { fault: 'int_type' };
  if (!Number.isFinite(value)) return { fault: 'finite_number' };
  if (!Number.isInteger(value)) return { fault: 'int_from_float' };
  // Adding zero turns -0 into 0.
  return Number.isSafeInteger(value) ? { value: value + 0 } : { fault: 'int_parsing_size' };
}

function readFloat(value: unknown): Reading<number> {
  if (typeof value === 'boolean') return { value: Number(value) };
  if (typeof value === 'string') {
    const text = trimWhiteSpace(value)?.replaceAll(/(?<=\d)_(?=\d)/g, '');
    if (text === undefined) return { fault: 'float_parsing' };
    if (/^[+-]?(?:nan|inf|infinity)$/i.test(text)) return { fault: 'finite_number' };
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return { fault: 'float_parsing' };
    return readFloat(Number(text));
  }
  if (typeof value !== 'number') return { fault: 'float_type' };
  return Number.isFinite(value) ? { value } : { fault: 'finite_number' };
}

/** Unicode's white space, which is not quite what `trim` takes away; null when the text is too long to look at. */
function trimWhiteSpace(text: string): string | null {
  return text.length > MAX_NUMBER_TEXT ? null : text.replaceAll(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
}
