import { MAX_INTEGER_DIGITS } from '../ingest-limits.ts';
import type { IssueType } from '../issues.ts';

/** Either the decimal digits of an integer or what is wrong with it. */
export type CoercedInt = { text: string } | { issue: IssueType };

/** Rust's `White_Space`, which pydantic trims: JavaScript's `trim` lacks U+0085 and would take U+FEFF. */
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const surroundingSpace = new RegExp(`^${SPACE}+|${SPACE}+$`, 'g');

const integer = /^-?(?:0|[1-9][0-9]*)$/;
const rustFloat = /^[+-]?(?:inf|infinity|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)$/i;

/**
 * A string in an int field, as pydantic reads it: space around it, one sign, leading zeros, a fraction of zeros and single
 * underscores between digits are all fine, exponents are not.
 */
export function coerceIntText(text: string): CoercedInt {
  if (!text.isWellFormed()) return { issue: 'string_unicode' };
  let rest = text.replace(surroundingSpace, '');
  const isNegative = rest.startsWith('-');
  if (isNegative || rest.startsWith('+')) rest = rest.slice(1);
  const stripped = stripLeadingZeros(rest);
  if (stripped === null) return { issue: 'int_parsing' };
  const digits = `${isNegative ? '-' : ''}${stripUnderscores(stripDecimalZeros(stripped))}`;
  if (!integer.test(digits)) return { issue: 'int_parsing' };
  if (digits.replace('-', '').length > MAX_INTEGER_DIGITS) return { issue: 'int_parsing_size' };
  return { text: digits === '-0' ? '0' : digits };
}

/**
 * A string in a float field; null when it is not a number. Rust's grammar: `inf`, `nan`, `.5` and `5.` are numbers. Space
 * around it is fine, and so are underscores, but not both.
 */
export function coerceFloatText(text: string): number | null {
  const trimmed = text.replace(surroundingSpace, '');
  const rest = rustFloat.test(trimmed) ? trimmed : stripUnderscores(text);
  if (!rustFloat.test(rest)) return null;
  const unsigned = rest.replace(/^[+-]/, '').toLowerCase();
  if (unsigned === 'nan') return Number.NaN;
  const value = unsigned.startsWith('inf') ? Number.POSITIVE_INFINITY : Number(unsigned);
  return rest.startsWith('-') ? -value : value;
}

/** Zeros and underscores before the first other digit go, and pydantic takes a minus for one; a lone run keeps its last. */
function stripLeadingZeros(text: string): string | null {
  if (/^[1-9]/.test(text)) return text;
  if (!text.startsWith('0')) return null;
  for (let index = 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '0' || character === '_') continue;
    if (character === '.') return text.slice(index - 1);
    return /[1-9-]/.test(character) ? text.slice(index) : null;
  }
  return text.slice(-1);
}

function stripDecimalZeros(text: string): string {
  return text.replace(/\.0+$/, '');
}

function stripUnderscores(text: string): string {
  if (text.startsWith('_') || text.endsWith('_') || text.includes('__')) return text;
  return text.replaceAll('_', '');
}
