import { coerceFloatText } from './coerce-text.ts';
import { formatFloat } from './format-float.ts';
import type { IssueType } from '../issues.ts';
import { LEFT_BRACE, LEFT_BRACKET, QUOTE } from './json-bytes.ts';
import { pushFloat } from './number-columns.ts';
import type { FloatColumn } from './number-columns.ts';
import { copyNumber, hasWord } from './scan-number.ts';
import { addIssue, readWritten, writeText } from './scan-state.ts';
import type { ScanState } from './scan-state.ts';
import { copyString, decodeString } from './scan-string.ts';
import { FALSE_WORD, NULL_WORD, skipValue, TRUE_WORD } from './scan-value.ts';

/** Deeper than any typed field starts; only used to skip values of a wrong type. */
const FIELD_DEPTH = 4;

/** An integer up to here keeps its digits and gets `.0`; a longer one may not be a double and is written as one. */
const MAX_KEPT_DIGITS = 15;

type CoercedFloat = { value: number; text: string } | { issue: IssueType };

/**
 * Scans the value at the position as pydantic's lax mode reads a `float`. A float keeps its text, an integer gets a
 * fraction, a string or boolean becomes the number it stands for.
 */
export function scanCoercedFloat(scan: ScanState, column: FloatColumn, index: number): void {
  const start = scan.written;
  const coerced = readFloat(scan, start);
  scan.written = start;
  if ('issue' in coerced) {
    addIssue(scan, coerced.issue, index);
    pushFloat(column, 0);
    return;
  }
  if (!Number.isFinite(coerced.value)) scan.hasNonFinite = true;
  writeText(scan, coerced.text);
  pushFloat(column, coerced.value);
}

function readFloat(scan: ScanState, start: number): CoercedFloat {
  const byte = scan.input[scan.position]!;
  if (byte === QUOTE) {
    copyString(scan);
    return coerceString(decodeString(scan, start));
  }
  const isTrue = hasWord(scan, TRUE_WORD);
  if (isTrue || byte === LEFT_BRACE || byte === LEFT_BRACKET || hasWord(scan, FALSE_WORD) || hasWord(scan, NULL_WORD)) {
    const isFalse = hasWord(scan, FALSE_WORD);
    skipValue(scan, FIELD_DEPTH);
    if (isTrue) return { value: 1, text: '1.0' };
    return isFalse ? { value: 0, text: '0.0' } : { issue: 'float_type' };
  }
  const kind = copyNumber(scan);
  const text = readWritten(scan, start);
  const value = Number(text);
  if (kind === 'float') return { value, text };
  // Python refuses to make a float of an integer that would overflow.
  if (!Number.isFinite(value)) return { issue: 'float_type' };
  if (text === '-0') return { value: 0, text: '0.0' };
  return { value, text: text.length > MAX_KEPT_DIGITS ? formatFloat(value) : `${text}.0` };
}

function coerceString(text: string): CoercedFloat {
  if (!text.isWellFormed()) return { issue: 'string_unicode' };
  const value = coerceFloatText(text);
  return value === null ? { issue: 'float_parsing' } : { value, text: formatFloat(value) };
}
